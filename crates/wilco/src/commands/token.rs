//! `wilco token`: who may call, when the server asks for tokens.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use wilco_engine::check_name;
use wilco_server::{Role, Token, Tokens};
use wilco_store::Postgres;

use crate::failure::Usage;
use crate::output::table::Table;
use crate::output::{self, Screen};
use crate::place::Place;

/// Create, list, change or revoke tokens
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    Create(Create),
    List(List),
    Role(SetRole),
    Revoke(Revoke),
}

/// Create a token and print it; it is not shown again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    export WILCO_TOKEN=$(wilco token create bob)\n  \
    wilco token create alice --role operator --data ./data")]
pub(crate) struct Create {
    /// The agent or person that it belongs to
    pub(crate) name: String,
    /// What it may do
    #[arg(long, value_enum, default_value_t = TokenRole::Agent)]
    pub(crate) role: TokenRole,
    /// Print it with its id as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// List tokens, without their secrets
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco token list")]
pub(crate) struct List {
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Give a token another role; it counts from the next call on
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco token role tok-0a1b2c3d4e5f orchestrator")]
pub(crate) struct SetRole {
    /// The token's id, from the list
    pub(crate) id: String,
    /// What it may do from now on
    #[arg(value_enum)]
    pub(crate) role: TokenRole,
    /// Print the token as JSON, without its secret
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Revoke a token; it stops working at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco token revoke tok-0a1b2c3d4e5f")]
pub(crate) struct Revoke {
    /// The token's id, from the list
    pub(crate) id: String,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TokenRole {
    /// Speaks for its agent and sees what that takes part in
    Agent,
    /// The same, and begins operations and replaces agents that work on its tasks
    Orchestrator,
    /// Sees and decides everything
    Operator,
    /// Sees everything
    ReadOnly,
}

impl TokenRole {
    fn role(self) -> Role {
        match self {
            TokenRole::Agent => Role::Agent,
            TokenRole::Orchestrator => Role::Orchestrator,
            TokenRole::Operator => Role::Operator,
            TokenRole::ReadOnly => Role::ReadOnly,
        }
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        TokenCommand::Create(args) => {
            let name = check_name(&args.name).map_err(|why| Usage(format!("NAME: {why}")))?;
            let created = tokens(&args.place)?.create(name, args.role.role())?;
            match args.json {
                true => {
                    let mut shown = public(&created.token);
                    shown["token"] = created.secret.into();
                    output::print_json(&shown.to_string());
                }
                false => output::print(&created.secret),
            }
        }
        TokenCommand::List(args) => list(&args)?,
        TokenCommand::Role(args) => {
            let changed = tokens(&args.place)?.change_role(&args.id, args.role.role())?;
            match args.json {
                true => output::print_json(&public(&changed).to_string()),
                false => output::print(&format!(
                    "{}, of {}, is of role {} now.",
                    changed.id,
                    changed.name,
                    word(changed.role)
                )),
            }
        }
        TokenCommand::Revoke(args) => {
            tokens(&args.place)?.revoke(&args.id)?;
            match args.json {
                true => output::print_json(&json!({"revoked": args.id}).to_string()),
                false => output::print("The token is revoked."),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tokens(place: &Place) -> anyhow::Result<Tokens> {
    match place.store()? {
        Some(target) => {
            // Whoever makes the first token may come before the first server.
            drop(Postgres::open(&target)?);
            Ok(Tokens::in_schema(target))
        }
        None => Ok(Tokens::new(&place.data()?)),
    }
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Agent => "agent",
        Role::Orchestrator => "orchestrator",
        Role::Operator => "operator",
        Role::ReadOnly => "read-only",
    }
}

/// A token without anything secret.
fn public(token: &Token) -> Value {
    json!({"id": token.id, "name": token.name, "role": word(token.role)})
}

fn list(args: &List) -> anyhow::Result<()> {
    let tokens = tokens(&args.place)?.list()?;
    if args.json {
        let items: Vec<_> = tokens.iter().map(public).collect();
        output::print_json(&json!({"items": items, "next": null}).to_string());
        return Ok(());
    }
    let mut table = Table::new(&["TOKEN", "NAME", "ROLE"]);
    tokens.iter().for_each(|token| table.row([&token.id, token.name.as_str(), word(token.role)]));
    output::print(&if tokens.is_empty() {
        "No tokens.".to_owned()
    } else {
        table.show(&Screen::of_stdout())
    });
    Ok(())
}
