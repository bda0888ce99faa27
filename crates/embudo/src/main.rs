//! The `embudo` command: reads the settings, starts the log, runs one command.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod comandos;
#[allow(dead_code, reason = "`serve` uses it; remove this line with it")]
mod llave;
mod salida;
#[allow(dead_code, unused_imports, reason = "`serve` and `doctor` use the rest; remove this line with them")]
mod settings;

use clap::{Parser, Subcommand};
use settings::{Flags, Settings, process_env};
use std::error::Error;
use std::process::ExitCode;

/// Leads for renovations: ingestion, conversation bot, quotes.
#[derive(Debug, Parser)]
#[command(name = "embudo", version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the settings in force and where each is from
    Config(comandos::config::Config),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("embudo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), Box<dyn Error>> {
    let settings = Settings::load(&cli.flags, &process_env(), &std::env::current_dir()?)?;
    let _log = salida::start_log(settings.log_format, &settings.log);
    match &cli.command {
        Command::Config(config) => Ok(config.run(&settings)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
