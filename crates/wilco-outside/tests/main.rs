//! What is outside of Wilco, against real neighbours.

mod github;
mod https;
mod state_file;
