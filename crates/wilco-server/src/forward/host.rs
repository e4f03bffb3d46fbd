//! Effects that name this node are carried out here, whoever writes. What the writer must know of them goes to it.

use wilco_runtime::{HostAnswer, HostCall};

use super::node_call::{NodeCall, ask_writer};
use crate::app::App;

/// Carries out what names this node, as long as the server runs.
pub(crate) async fn carry_out(app: App) {
    loop {
        let (row, app) = (app.handle.next_host_effect().await, app.clone());
        tokio::spawn(async move { app.handle.carry_out_here(row, |call| ask(&app, call)).await });
    }
}

/// Asks the writer, wherever it is, once.
async fn ask(app: &App, call: HostCall) -> Option<HostAnswer> {
    match app.handle.node()?.known().is_here {
        true => app.handle.host_call(call).await,
        false => ask_writer(app, &NodeCall::Effect(call)).await,
    }
}
