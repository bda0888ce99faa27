//! The outbound side, made from the settings: receivers, mail, links to photos, and the rules around them.
//!
//! Nothing is sent and no server is contacted here. Links are signed with a secret of the database: every process on
//! one database accepts the links of the others, and a link reveals nothing of the API key and still works after the
//! key was changed.

use crate::installation_error::InstallationError;
use crate::settings::{HttpUrl, OnDoubt, Settings, SmtpTls, WebhookSecrets};
use embudo_app::{DrawingChild, InDoubt, Outbound, OutboundMail, Renderer, Template, WithLinks};
use embudo_delivery::fetch::{Fetcher, Rules};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::webhook::Options;
use embudo_delivery::{Links, Mail, Webhooks};
use embudo_domain::ProcessId;
use embudo_domain::job::{Destination, JobKind, JobState};
use embudo_domain::presupuesto::Bounds;
use embudo_domain::watched_loop::Deadlines;
use embudo_store::outbox_admin::JobCount;
use jiff::SignedDuration;
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;
use url::Url;

/// The outbound side without links, for a command that runs for a moment and sends nothing itself: a server delivers
/// its jobs.
pub fn of_command(settings: &Settings) -> Result<Outbound, InstallationError> {
    outbound(settings, Rules::with(settings.fetch_allow.clone()))
}

fn outbound(settings: &Settings, rules: Rules) -> Result<Outbound, InstallationError> {
    let secrets = settings.webhook_secret.as_ref().map(WebhookSecrets::secrets).cloned();
    let options = Options { secrets: secrets.unwrap_or_default(), ..Options::default() };
    let webhooks = Webhooks::new(options).map_err(InstallationError::Webhooks)?;
    let fetches = Fetcher::new(rules).map_err(InstallationError::Webhooks)?;
    let url = |url: &Option<HttpUrl>| url.as_ref().map(HttpUrl::as_url).cloned();
    let days = i64::from(settings.keep_jobs_days.get());
    Ok(Outbound {
        perfil: url(&settings.perfil_webhook_url),
        mensajeria: url(&settings.messaging_start_webhook_url),
        pdf: url(&settings.messaging_webhook_url),
        reply: url(&settings.messaging_reply_webhook_url),
        events: url(&settings.events_webhook_url),
        mail: mail(settings)?,
        en_duda: match settings.email_on_doubt {
            OnDoubt::Park => InDoubt::Park,
            OnDoubt::Retry => InDoubt::Retry,
        },
        deadlines: Deadlines {
            renders: signed(settings.loop_renders_s),
            finalizar: signed(settings.loop_finalizar_s),
        },
        resignals: settings.loop_resignal,
        save: SignedDuration::from_hours(24 * days),
        replay: signed(settings.finalizar_dedupe_s),
        template: template(settings)?,
        bounds: Bounds {
            lines: usize::try_from(settings.quote_max_lines.get()).unwrap_or(usize::MAX),
            text: usize::try_from(settings.quote_max_text).unwrap_or(usize::MAX),
        },
        renderer: renderer(),
        ..Outbound::none(webhooks, fetches)
    })
}

/// The outbound side without links, for a server: `process` stays the same after a restart. An offline server fetches
/// nothing from the internet and sends nothing to receivers that companies connect there.
pub fn of_server(
    settings: &Settings,
    process: ProcessId,
    offline: bool,
) -> Result<Outbound, InstallationError> {
    let rules = Rules { offline, ..Rules::with(settings.fetch_allow.clone()) };
    Ok(Outbound { process, ..outbound(settings, rules)? })
}

/// Links to photos; `None` if `PUBLIC_URL` is not set.
pub fn links(settings: &Settings, links: Links) -> Option<WithLinks> {
    let url = settings.public_url.as_ref()?;
    Some(WithLinks { links, public_url: url.as_str().to_owned() })
}

/// How the mail server is reached; `None` while mail is not configured.
pub fn mail_server(settings: &Settings) -> Result<Option<SmtpSettings>, InstallationError> {
    let Some(smtp) = settings.smtp() else { return Ok(None) };
    let tls = match smtp.tls {
        SmtpTls::None => Tls::None,
        SmtpTls::Starttls => Tls::Starttls,
        SmtpTls::Tls => Tls::Tls,
    };
    let read = |path: &std::path::PathBuf| {
        fs::read(path).map_err(|error| {
            let problem = format!("{} cannot be read: {error}", path.display());
            refused(settings, "SMTP_CA_FILE", problem)
        })
    };
    Ok(Some(SmtpSettings {
        credentials: smtp.login.map(|(user, password)| (user.to_owned(), password.expose().to_owned())),
        ca_pem: settings.smtp_ca_file.as_ref().map(read).transpose()?,
        ..SmtpSettings::new(smtp.host.as_str(), smtp.port.get(), tls)
    }))
}

/// The mail client for these settings; only wrong certificates can make this fail.
pub fn mail_client(settings: &Settings, mail_settings: SmtpSettings) -> Result<Mail, InstallationError> {
    Mail::new(mail_settings).map_err(|error| refused(settings, "SMTP_CA_FILE", error.to_string()))
}

fn mail(settings: &Settings) -> Result<Option<OutboundMail>, InstallationError> {
    let (Some(mail_settings), Some(smtp)) = (mail_server(settings)?, settings.smtp()) else {
        return Ok(None);
    };
    let client = mail_client(settings, mail_settings)?;
    let (from, from_name) = (smtp.from.address().to_owned(), smtp.from.name());
    Ok(Some(OutboundMail { client, from, from_name }))
}

/// Makes the renderer of quotes: it starts this same program as child processes with limits.
fn renderer() -> Renderer {
    // The program is not started by its file name: an update may have put another version there while this one runs.
    let running = std::path::Path::new("/proc/self/exe");
    let program = if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() };
    match program {
        Ok(program) => Renderer::new().with_child(DrawingChild::new(program, ["quote-child"])),
        Err(error) => {
            tracing::warn!(%error, "this program cannot find itself: quotes are drawn without a bound, and not with own templates");
            Renderer::new()
        }
    }
}

/// The operator's own template. A file that cannot be read is reported at the start, not at the first quote.
fn template(settings: &Settings) -> Result<Option<Template>, InstallationError> {
    let Some(path) = &settings.quote_template else { return Ok(None) };
    let read = Template::read(path);
    read.map(Some).map_err(|error| refused(settings, "QUOTE_TEMPLATE", error.to_string()))
}

fn refused(settings: &Settings, name: &'static str, problem: String) -> InstallationError {
    InstallationError::Setting { name, problem, origin: settings.source(name) }
}

fn signed(time: Duration) -> SignedDuration {
    SignedDuration::try_from(time).expect("a setting's seconds fit")
}

/// The settings whose absence holds jobs of a kind; `None` if they are set, or if the kind needs none.
pub fn missing(settings: &Settings, kind: JobKind) -> Option<String> {
    let destination = kind.destination()?;
    (!is_set(settings, destination)).then(|| destination.settings().join(" and "))
}

fn is_set(settings: &Settings, destination: Destination) -> bool {
    match destination {
        Destination::Perfil => settings.perfil_webhook_url.is_some(),
        Destination::Mensajeria => settings.messaging_start_webhook_url.is_some(),
        Destination::Pdf => settings.messaging_webhook_url.is_some(),
        Destination::Reply => settings.messaging_reply_webhook_url.is_some(),
        Destination::Events => settings.events_webhook_url.is_some(),
        Destination::Mail => settings.smtp().is_some(),
    }
}

/// The destinations that these settings configure.
pub fn destinations(settings: &Settings) -> Vec<Destination> {
    Destination::ALL.into_iter().filter(|destination| is_set(settings, *destination)).collect()
}

/// Jobs that wait for a setting, one line for each kind. They cost no attempt, and are sent once the setting is there.
/// Jobs of kinds that a company receives itself (`own`) are tried and not counted here.
pub fn held(settings: &Settings, own: &BTreeSet<Destination>, counts: &[JobCount]) -> Vec<String> {
    let is_own = |kind: JobKind| kind.destination().is_some_and(|to| own.contains(&to));
    let pending = counts.iter().filter(|c| c.state == JobState::Pending && !is_own(c.kind));
    let line = |c: &JobCount| {
        Some(format!("{} held ({}) until {} is set", c.count, c.kind, missing(settings, c.kind)?))
    };
    pending.filter_map(line).collect()
}

/// What is configured, in one line. Addresses are left out, because those of webhooks often contain a secret.
pub fn summary(settings: &Settings, outbound: &Outbound) -> String {
    let kinds: [(&str, &Option<Url>); 5] = [
        ("perfil", &outbound.perfil),
        ("mensajeria", &outbound.mensajeria),
        ("pdf", &outbound.pdf),
        ("respuesta", &outbound.reply),
        ("eventos", &outbound.events),
    ];
    let kinds: Vec<&str> = kinds.iter().filter(|(_, url)| url.is_some()).map(|(name, _)| *name).collect();
    let signals = match (kinds.as_slice(), &settings.webhook_secret) {
        ([], _) => "no signal is sent".to_owned(),
        (kinds, Some(_)) => format!("signals: {}, signed", kinds.join(", ")),
        (kinds, None) => format!("signals: {}, not signed (WEBHOOK_SECRET is not set)", kinds.join(", ")),
    };
    let mail = match settings.smtp() {
        Some(smtp) => format!("mail by {}:{}", smtp.host.as_str(), smtp.port),
        None => "no mail is sent".to_owned(),
    };
    let photos = match &settings.public_url {
        Some(url) => format!("photos are linked under {}", url.as_str()),
        None => "PUBLIC_URL is not set: signals carry photos inline instead of links to them".to_owned(),
    };
    format!("{signals}; {mail}; {photos}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Flags;
    use std::collections::HashMap;
    use std::path::Path;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        let env: HashMap<String, String> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::load(&Flags::default(), &env, Path::new("/nonexistent")).unwrap()
    }

    #[test]
    fn each_receiver_gets_its_own_signal_and_the_line_shows_no_address() {
        let settings = settings(&[
            ("PERFIL_WEBHOOK_URL", "https://u:geheim@a.es/"),
            ("MESSAGING_START_WEBHOOK_URL", "https://b.es/"),
            ("MESSAGING_WEBHOOK_URL", "https://c.es/geheim"),
            ("MESSAGING_REPLY_WEBHOOK_URL", "https://d.es/geheim"),
            ("EVENTS_WEBHOOK_URL", "https://e.es/geheim"),
            ("SMTP_HOST", "mail.es"),
            ("EMAIL_FROM", "Ana <ana@a.es>"),
            ("EMAIL_ON_DOUBT", "retry"),
            ("LOOP_RENDERS_S", "60"),
            ("KEEP_JOBS_DAYS", "2"),
        ]);
        let outbound = of_command(&settings).unwrap();
        let host = |url: &Option<Url>| url.as_ref().unwrap().host_str().unwrap().to_owned();
        assert_eq!(
            [
                host(&outbound.perfil),
                host(&outbound.mensajeria),
                host(&outbound.pdf),
                host(&outbound.reply),
                host(&outbound.events)
            ],
            ["a.es", "b.es", "c.es", "d.es", "e.es"]
        );
        let mail = outbound.mail.as_ref().unwrap();
        assert_eq!((mail.from.as_str(), mail.from_name.as_deref()), ("ana@a.es", Some("Ana")));
        assert_eq!(outbound.en_duda, InDoubt::Retry);
        assert_eq!(outbound.deadlines.renders, SignedDuration::from_secs(60));
        assert_eq!(outbound.save, SignedDuration::from_hours(48));
        assert_eq!(
            summary(&settings, &outbound),
            "signals: perfil, mensajeria, pdf, respuesta, eventos, not signed (WEBHOOK_SECRET is not set); mail by mail.es:587; \
             PUBLIC_URL is not set: signals carry photos inline instead of links to them"
        );
    }

    #[test]
    fn jobs_are_held_for_exactly_what_cannot_be_sent() {
        let all = [
            ("PERFIL_WEBHOOK_URL", "https://a.es/"),
            ("MESSAGING_START_WEBHOOK_URL", "https://b.es/"),
            ("MESSAGING_WEBHOOK_URL", "https://c.es/"),
            ("MESSAGING_REPLY_WEBHOOK_URL", "https://d.es/"),
            ("EVENTS_WEBHOOK_URL", "https://e.es/"),
            ("SMTP_HOST", "mail.es"),
            ("EMAIL_FROM", "ana@a.es"),
        ];
        for without in 0..=all.len() {
            let mut pairs = all.to_vec();
            if without < pairs.len() {
                pairs.remove(without);
            }
            let settings = settings(&pairs);
            let outbound = of_command(&settings).unwrap();
            for kind in JobKind::ALL {
                assert_eq!(missing(&settings, kind).is_none(), outbound.sends(kind), "{kind} {pairs:?}");
            }
        }
        let count = |kind, state, count| JobCount { kind, state, count };
        let counts = [
            count(JobKind::Perfil, JobState::Pending, 3),
            count(JobKind::Perfil, JobState::Dead, 1),
            count(JobKind::Pdf, JobState::Pending, 1),
        ];
        let settings = settings(&all[1..]);
        assert!(held(&settings, &BTreeSet::from([Destination::Perfil]), &counts).is_empty());
        assert_eq!(
            held(&settings, &BTreeSet::new(), &counts),
            ["3 held (perfil) until PERFIL_WEBHOOK_URL is set"]
        );
    }

    #[test]
    fn a_certificate_file_that_cannot_be_used_names_its_setting() {
        let refused = |file: &str| {
            let settings =
                settings(&[("SMTP_HOST", "mail.es"), ("EMAIL_FROM", "a@a.es"), ("SMTP_CA_FILE", file)]);
            of_command(&settings).err().unwrap().to_string()
        };
        let missing = refused("/nonexistent/ca.pem");
        assert!(missing.starts_with("SMTP_CA_FILE: /nonexistent/ca.pem cannot be read"), "{missing}");
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("ca.pem");
        fs::write(&file, "no certificate").unwrap();
        let empty = refused(&file.display().to_string());
        assert!(empty.starts_with("SMTP_CA_FILE: the CA file holds no readable PEM"), "{empty}");
    }
}
