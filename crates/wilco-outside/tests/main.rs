//! What is outside of Wilco, against real neighbours.

mod github;
mod github_server;
mod https;
mod state_file;
