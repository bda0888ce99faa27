//! `embudo doctor`: one line for each thing that must work, and for each failure, what to fix.
//!
//! It changes nothing: no webhook is called (its workflow would start), no mail is sent, no key is made, and the only
//! thing that it writes to the disk or the bucket is a probe that it removes. The database's tables are not changed.

mod backups;
mod folder;
mod network;
mod quick;
mod smtp;
mod storage;

pub use quick::{BackupsFound, quick};

use crate::logging;
use crate::settings::{HttpUrl, Settings, SettingsErrors};
use serde::Serialize;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

/// How long one check may take.
const LIMIT: Duration = Duration::from_secs(15);

/// How to show the checks.
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum Outcome {
    #[serde(rename = "ok")]
    Ok,
    #[serde(rename = "warning")]
    Notice,
    #[serde(rename = "failed")]
    Fails,
    #[serde(rename = "not configured")]
    NotConfigured,
}

/// One line of the output.
#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    result: Outcome,
    detail: String,
    /// What to do about a failure or a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

/// What a check found: a text about the state, or what is wrong and how to fix it.
type Found = Result<String, Fault>;

/// Something that does not work, or something that works but should be changed.
#[derive(Debug)]
struct Fault {
    outcome: Outcome,
    problem: String,
    mend: String,
}

impl Fault {
    fn new(problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { outcome: Outcome::Fails, problem: problem.into(), mend: mend.into() }
    }

    fn warning(problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { outcome: Outcome::Notice, ..Self::new(problem, mend) }
    }
}

impl Check {
    fn of(check: &'static str, found: Found) -> Self {
        match found {
            Ok(detail) => Self { check, result: Outcome::Ok, detail, mend: None },
            Err(fault) => {
                Self { check, result: fault.outcome, detail: fault.problem, mend: Some(fault.mend) }
            }
        }
    }

    fn absent(check: &'static str, detail: &str) -> Self {
        Self { check, result: Outcome::NotConfigured, detail: detail.to_owned(), mend: None }
    }
}

impl Doctor {
    /// Runs all checks and prints them; the exit code is 1 if one fails.
    pub async fn run(&self, settings: &Settings) -> io::Result<ExitCode> {
        // Installs the crypto provider for TLS. The call fails if another caller has done it already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (perfil, messaging, start, reply, events, smtp, database, blobs) = tokio::join!(
            webhook("PERFIL_WEBHOOK_URL", settings.perfil_webhook_url.as_ref()),
            webhook("MESSAGING_WEBHOOK_URL", settings.messaging_webhook_url.as_ref()),
            webhook("MESSAGING_START_WEBHOOK_URL", settings.messaging_start_webhook_url.as_ref()),
            webhook("MESSAGING_REPLY_WEBHOOK_URL", settings.messaging_reply_webhook_url.as_ref()),
            webhook("EVENTS_WEBHOOK_URL", settings.events_webhook_url.as_ref()),
            smtp::check(settings),
            storage::database(settings),
            within(storage::blobs(settings)),
        );
        let storage::Shown { database, id, jobs, empresas, search, too_long } = database;
        let mut checks = vec![
            Check::of("settings", Ok(settings_told(settings))),
            Check::of("data folder", folder::look(&settings.data_dir)),
            Check::of("API key", folder::key(settings)),
            Check::of("database", database),
            Check::of("jobs", jobs),
            Check::of("blobs", blobs),
            public_url(settings, too_long),
            perfil,
            messaging,
            start,
            reply,
            events,
            smtp,
        ];
        checks.extend(backups::check(settings, id).await);
        checks.extend(search.map(|search| Check::of("search", search)));
        checks.extend(empresas.map(|empresas| Check::of("companies", empresas)));
        self.print(&checks)
    }

    /// Prints the errors of settings that cannot be used; nothing else can be checked then.
    pub fn refuse(&self, errors: &SettingsErrors) -> io::Result<ExitCode> {
        let faults = errors.0.iter().map(|error| {
            let mend = "correct it where it is from; embudo config --markdown lists every setting";
            Check::of("settings", Err(Fault::new(error.to_string(), mend)))
        });
        self.print(&faults.collect::<Vec<_>>())
    }

    fn print(&self, checks: &[Check]) -> io::Result<ExitCode> {
        let text = if self.json {
            serde_json::to_string_pretty(checks).expect("plain structs are always JSON") + "\n"
        } else {
            lines(checks)
        };
        logging::print(&text)?;
        let fails = checks.iter().any(|check| check.result == Outcome::Fails);
        Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// One aligned line for each check. A failure or warning gets a second line that says what to do.
fn lines(checks: &[Check]) -> String {
    const WORD: usize = "not configured".len();
    let width = checks.iter().map(|check| check.check.len()).max().unwrap_or(0);
    let line = |check: &Check| {
        let (sign, word) = match check.result {
            Outcome::Ok => ('✓', "ok"),
            Outcome::Notice => ('!', "warning"),
            Outcome::Fails => ('✗', "failed"),
            Outcome::NotConfigured => ('–', "not configured"),
        };
        let detail = logging::clean(&check.detail);
        let mut text = format!("{sign} {word:WORD$}  {:width$}  {detail}\n", check.check);
        if let Some(mend) = &check.mend {
            text += &format!("{:indent$}→ {}\n", "", logging::clean(mend), indent = WORD + width + 6);
        }
        text
    };
    checks.iter().map(line).collect()
}

fn settings_told(settings: &Settings) -> String {
    let all = settings.effective();
    let set = all.iter().filter(|row| row.source != "default").count();
    format!("{} of {} are set; embudo config shows them", set, all.len())
}

fn public_url(settings: &Settings, too_long: Option<String>) -> Check {
    match &settings.public_url {
        None => match too_long {
            None => Check::absent("PUBLIC_URL", "signals carry photos inline instead of links to them"),
            Some(error) => {
                let mend = "set PUBLIC_URL to this server's address as the receiver reaches it, or raise the receiver's limit \
                            (n8n: N8N_PAYLOAD_SIZE_MAX)";
                Check::of("PUBLIC_URL", Err(Fault::new(format!("a profile signal failed: {error}"), mend)))
            }
        },
        Some(url) if url.as_str().starts_with("http://") => {
            Check::of("PUBLIC_URL", Ok(format!("{} (not encrypted)", url.as_str())))
        }
        Some(url) => Check::of("PUBLIC_URL", Ok(url.as_str().to_owned())),
    }
}

async fn webhook(name: &'static str, url: Option<&HttpUrl>) -> Check {
    let Some(url) = url else { return Check::absent(name, "its signal is not sent") };
    let url = url.as_url().clone();
    Check::of(name, blocking(move || network::reach(&url)).await)
}

/// Runs a blocking check on a thread for blocking work, and waits for it at most [`LIMIT`].
async fn blocking(check: impl FnOnce() -> Found + Send + 'static) -> Found {
    let run = tokio::task::spawn_blocking(check);
    within(async {
        run.await.unwrap_or_else(|error| Err(Fault::new(error.to_string(), "report this defect")))
    })
    .await
}

async fn within<T>(check: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    tokio::time::timeout(LIMIT, check).await.unwrap_or_else(|_| {
        let problem = format!("no answer in {} s", LIMIT.as_secs());
        Err(Fault::new(problem, "check the address, the network and any firewall between here and there"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned_and_failures_say_what_to_mend() {
        let text = lines(&[
            Check::of("settings", Ok("fine".to_owned())),
            Check::of("database", Err(Fault::new("gone\n", "start it"))),
            Check::of("API key", Err(Fault::warning("short", "make a longer one"))),
            Check::absent("SMTP", "no mail is sent"),
        ]);
        let expected = "✓ ok              settings  fine\n\
                        ✗ failed          database  gone\u{fffd}\n\
                        \x20                           → start it\n\
                        ! warning         API key   short\n\
                        \x20                           → make a longer one\n\
                        – not configured  SMTP      no mail is sent\n";
        assert_eq!(text, expected);
    }
}
