//! What delegations do: transcripts, laws for any course of one, and a model that walks all of them.

mod invariants;
mod laws;
mod model;
mod output;
mod scene;
mod speech;
mod transcripts;
mod world;
