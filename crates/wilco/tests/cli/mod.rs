//! Every verb, run as a program against the real server.

mod agents;
mod answering;
mod clients;
mod deciding;
mod demo;
mod errors;
mod following;
mod hooks;
mod identity;
mod install;
mod looking;
mod messages;
mod offline;
mod operating;
mod own_files;
mod program;
mod sessions;
mod shell;
mod teaching;
mod terminal;
mod tokens;
mod validating;

use program::Server;

/// anna has delegated GH-1 to bob.
fn delegated() -> Server {
    let server = Server::of(&["anna", "bob", "carl"]);
    let line = [
        "delegate",
        "bob",
        "--task",
        "GH-1",
        "--title",
        "Add a login page",
        "--criterion",
        "A form for name and password",
    ];
    assert_eq!(server.run("anna", &line).ok(), "GH-1 (del-5) is awaiting-ack.\n");
    server
}

const UNDERSTOOD: [&str; 5] =
    ["ack", "GH-1", "received", "--understanding", "Add a login page with a form for name and password"];

/// bob has acknowledged it.
fn working() -> Server {
    let server = delegated();
    assert_eq!(server.run("bob", &UNDERSTOOD).ok(), "GH-1 (del-5) is working.\n");
    server
}
