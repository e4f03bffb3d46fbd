//! What every store promises, and what the embedded one does under damage.

mod agreement;
mod backup;
mod conformance;
mod damage;
mod data_directory;
mod full_disk;
mod postgres;
mod restore;
mod search;
mod verify;
