//! The `embudo` command: reads the settings, starts the log, runs one command.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod commands;
mod data_dir;
mod installation;
mod installation_error;
mod logging;
mod outbound;
mod settings;

use clap::{CommandFactory as _, Parser, Subcommand};
use commands::{
    backup, blobs, config, demo, doctor, empresa, import, jobs, lead, mcp, migrate, openapi, package_files,
    pases, persona, ping, presupuesto, serve, tarifa, usuario,
};
use settings::{Flags, LogFilter, Settings, process_env};
use std::error::Error;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::runtime::Builder;

/// Bodies of many megabytes are allocated and freed all the time; the system's allocator keeps and fragments that
/// memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Leads for renovations: ingestion, conversation bot, quotes.
#[derive(Debug, Parser)]
#[command(name = "embudo", version = version(), arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server: the API, the deliveries and the housekeeping
    Serve,
    /// Try it: a company that does not exist, in a folder of its own; nothing leaves this machine
    Demo(demo::Demo),
    /// Bring the database's tables up to date
    Migrate,
    /// Companies that leads belong to
    #[command(subcommand)]
    Empresa(empresa::Command),
    /// Leads: create, show, list
    #[command(subcommand)]
    Lead(lead::Command),
    /// Leads from a CSV file; looks only, until --yes
    Import(import::Import),
    /// What is to be sent: signals and mails that wait, failed or are done
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// A lead's quotes, and their PDFs
    #[command(subcommand)]
    Presupuesto(presupuesto::Command),
    /// The bytes of photos and quotes, and those that nothing names any more
    #[command(subcommand)]
    Blobs(blobs::Command),
    /// Save the records and their photos and PDFs, beside a running server; or check what was saved
    Backup(backup::Backup),
    /// Bring a backup back into an empty database
    Restore(backup::RestoreArgs),
    /// Copy everything to another database or another place for photos, and compare every record
    Copy(backup::CopyArgs),
    /// Price tables, and what they say a job costs
    #[command(subcommand)]
    Tarifa(tarifa::Command),
    /// People who sign in to the panel
    #[command(subcommand)]
    Usuario(usuario::Command),
    /// What people may ask for of their data: a copy, and that it is erased
    #[command(subcommand)]
    Persona(persona::Command),
    /// The secret that signs the links which clients hold
    #[command(subcommand)]
    Pases(pases::Command),
    /// Print the API's description (OpenAPI 3.1)
    Openapi,
    /// Offer a running server's tools to an assistant (MCP) on standard input and output
    Mcp(mcp::Mcp),
    /// Show the settings in force and where each is from
    Config(config::Config),
    /// Whether the server of these settings is ready; exit 1 if it is not
    Ping,
    #[command(hide = true)]
    PackageFiles(package_files::PackageFiles),
    /// Draw quotes, as a bounded child of the server
    #[command(hide = true)]
    QuoteChild,
    /// Check settings, storage, webhooks and mail; exit 1 if one fails
    Doctor(doctor::Doctor),
}

fn main() -> ExitCode {
    use_small_pages();
    let cli = Cli::parse();
    run(&cli).unwrap_or_else(|error| {
        eprintln!("embudo: {error}");
        ExitCode::FAILURE
    })
}

/// Turns huge pages off. A huge page takes two megabytes even if only a few bytes of it are in use, and the kernel may
/// fill the page again after memory around them was freed: at rest this doubled the memory (docs/adr/0044). The child
/// processes that draw quotes inherit the setting.
fn use_small_pages() {
    // A system without huge pages refuses, which does not matter.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn run(cli: &Cli) -> Result<ExitCode, Box<dyn Error>> {
    if let Command::QuoteChild = cli.command {
        embudo_app::quote_child(std::io::stdin().lock(), std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::PackageFiles(files) = &cli.command {
        files.run(Cli::command())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Openapi = cli.command {
        openapi::run()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Tarifa(tarifa) = &cli.command
        && tarifa.run_alone()?
    {
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Demo(demo) = &cli.command {
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let served = runtime.block_on(demo.run(&cli.flags));
        runtime.shutdown_timeout(Duration::from_secs(1));
        served?;
        return Ok(ExitCode::SUCCESS);
    }
    let loaded = Settings::load(&cli.flags, &process_env(), &std::env::current_dir()?);
    let settings = match (loaded, &cli.command) {
        (Ok(settings), _) => settings,
        (Err(errors), Command::Doctor(doctor)) => return Ok(doctor.refuse(&errors)?),
        (Err(errors), _) => return Err(errors.into()),
    };
    let _log = logging::start_log(settings.log_format, &log_filter(&settings, &cli.command));
    let one = || Builder::new_current_thread().enable_all().build();
    let many = || Builder::new_multi_thread().enable_all().build();
    match &cli.command {
        Command::Serve => {
            let runtime = many()?;
            let served = runtime.block_on(serve::run(&settings));
            // A scan of the photos' folder cannot be interrupted, and its result is not needed.
            runtime.shutdown_timeout(Duration::from_secs(1));
            served?;
        }
        Command::Migrate => one()?.block_on(migrate::run(&settings))?,
        Command::Empresa(empresa) => one()?.block_on(empresa.run(&settings))?,
        Command::Lead(lead) => one()?.block_on(lead.run(&settings))?,
        Command::Import(import) => return one()?.block_on(import.run(&settings)),
        Command::Jobs(jobs) => one()?.block_on(jobs.run(&settings))?,
        Command::Presupuesto(presupuesto) => one()?.block_on(presupuesto.run(&settings))?,
        Command::Blobs(blobs) => one()?.block_on(blobs.run(&settings))?,
        Command::Backup(backup) => return one()?.block_on(backup.run(&settings)),
        Command::Restore(restore) => one()?.block_on(restore.run(&settings))?,
        Command::Copy(copy) => return one()?.block_on(copy.run(&settings)),
        Command::Tarifa(tarifa) => one()?.block_on(tarifa.run(&settings))?,
        Command::Usuario(usuario) => one()?.block_on(usuario.run(&settings))?,
        Command::Pases(pases) => one()?.block_on(pases.run(&settings))?,
        Command::Persona(persona) => many()?.block_on(persona.run(&settings))?,
        Command::Openapi | Command::QuoteChild | Command::PackageFiles(_) | Command::Demo(_) => {
            unreachable!("done above, because they need no settings")
        }
        Command::Mcp(mcp) => {
            let runtime = one()?;
            let served = runtime.block_on(mcp.run(&settings));
            // A read of standard input cannot be interrupted.
            runtime.shutdown_background();
            served?;
        }
        Command::Config(config) => config.run(&settings)?,
        Command::Ping => return ping::run(&settings),
        Command::Doctor(doctor) => return Ok(one()?.block_on(doctor.run(&settings))?),
    }
    Ok(ExitCode::SUCCESS)
}

/// The version, and the commit if it was given to the build (`EMBUDO_COMMIT`).
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| match option_env!("EMBUDO_COMMIT") {
        Some(commit) if !commit.is_empty() => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    });
    &VERSION
}

/// A command that prints its result logs only warnings and errors, unless `LOG` is set.
fn log_filter(settings: &Settings, command: &Command) -> LogFilter {
    if matches!(command, Command::Serve) || settings.source("LOG") != "default" {
        return settings.log.clone();
    }
    LogFilter::warnings()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
