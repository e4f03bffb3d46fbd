//! Prints the OpenAPI document; `cargo xtask openapi` keeps it in `docs/`.

fn main() {
    let document = wilco_server::openapi_document(env!("CARGO_PKG_VERSION"));
    println!("{document:#}");
}
