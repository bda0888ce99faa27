//! Loading as a whole: precedence, messages, defaults, what is shown.

mod values;

use super::*;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// A working folder with the given files and environment, independent of the machine.
struct Place {
    folder: tempfile::TempDir,
    env: HashMap<String, String>,
    flags: Flags,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), env: HashMap::new(), flags: Flags::default() }
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.folder.path().join(name), text).unwrap();
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn set(mut self, text: &str) -> Self {
        self.flags.set.push(text.to_owned());
        self
    }

    fn load(&self) -> Result<Settings, SettingsErrors> {
        Settings::load(&self.flags, &self.env, self.folder.path())
    }

    fn ok(&self) -> Settings {
        self.load().unwrap()
    }

    fn errors(&self) -> Vec<String> {
        self.load().unwrap_err().0.iter().map(ToString::to_string).collect()
    }

    fn error(&self) -> String {
        let errors = self.errors();
        assert_eq!(errors.len(), 1, "{errors:?}");
        errors[0].clone()
    }
}

#[test]
fn defaults_are_those_of_the_contract() {
    let settings = Place::new().ok();
    assert_eq!(settings.bind.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.data_dir, PathBuf::from("./data"));
    assert_eq!(settings.database_url, DatabaseUrl::Sqlite("./data/embudo.db".into()));
    assert_eq!(settings.blob_url, BlobUrl::Folder("./data/blobs".into()));
    assert_eq!((settings.max_body_bot, settings.max_body_ingesta), (8 << 20, 64 << 20));
    assert_eq!(settings.body_budget, 128 << 20);
    assert_eq!(settings.max_connections.get(), 8192);
    assert_eq!(settings.drain_s, Duration::from_secs(30));
    assert!(settings.funnel_api_key.is_none() && settings.rate_limit_key.is_none());
    assert!(settings.trusted_proxies.is_empty() && settings.smtp().is_none());
    assert!(settings.webhook_secret.is_none() && settings.smtp_ca_file.is_none());
    assert_eq!((settings.loop_renders_s.as_secs(), settings.loop_finalizar_s.as_secs()), (7200, 7200));
    assert_eq!((settings.loop_resignal, settings.keep_jobs_days.get()), (0, 30));
    assert_eq!(settings.email_on_doubt, OnDoubt::Park);
    assert_eq!(settings.source("BIND"), "default");
}

#[test]
fn database_and_photos_follow_the_data_folder() {
    let settings = Place::new().env("DATA_DIR", "/var/lib/em budo?/").ok();
    assert_eq!(settings.database_url, DatabaseUrl::Sqlite("/var/lib/em budo?/embudo.db".into()));
    assert_eq!(settings.blob_url, BlobUrl::Folder("/var/lib/em budo?/blobs".into()));
}

#[test]
fn flags_beat_environment_beats_dotenv_beats_file_beats_default() {
    let mut place = Place::new().file("embudo.toml", "drain_s = 1\n");
    let seen = |place: &Place| (place.ok().drain_s.as_secs(), place.ok().source("DRAIN_S"));
    assert_eq!(seen(&place), (1, "embudo.toml".to_owned()));
    place = place.file(".env", "DRAIN_S=2\nSOMEBODY_ELSES=x\n");
    assert_eq!(seen(&place), (2, ".env".to_owned()));
    place = place.env("DRAIN_S", "3");
    assert_eq!(seen(&place), (3, "environment".to_owned()));
    place = place.set("drain_s=4");
    assert_eq!(seen(&place), (4, "--set".to_owned()));
    place = place.set("DRAIN_S=5");
    assert_eq!(seen(&place), (5, "--set".to_owned()));
}

#[test]
fn a_flag_of_its_own_beats_set() {
    let mut place = Place::new().set("BIND=127.0.0.1:1");
    place.flags.bind = Some("127.0.0.1:2".to_owned());
    assert_eq!(place.ok().bind.port(), 2);
    assert_eq!(place.ok().source("BIND"), "--bind");
}

#[test]
fn every_flag_of_its_own_names_a_setting() {
    let mut place = Place::new();
    place.flags.data_dir = Some("/d".to_owned());
    place.flags.database_url = Some("sqlite:///x.db".to_owned());
    let settings = place.ok();
    assert_eq!(settings.data_dir, PathBuf::from("/d"));
    assert_eq!(settings.database_url, DatabaseUrl::Sqlite("/x.db".into()));
}

#[test]
fn an_empty_value_means_not_set_and_hides_weaker_sources() {
    let settings = Place::new().file("embudo.toml", "SMTP_HOST = 'mail.es'\nDRAIN_S = 9\n");
    let settings = settings.env("SMTP_HOST", "").env("DRAIN_S", " ").ok();
    assert!(settings.smtp_host.is_none());
    assert_eq!(settings.drain_s.as_secs(), 30);
}

#[test]
fn all_bad_settings_are_told_at_once_with_name_and_source() {
    let place = Place::new()
        .file("embudo.toml", "SMTP_PORT = 'abc'\nsmpt_host = 'x'\n")
        .file(".env", "MAX_BODY_BOT=8M\n")
        .env("BIND", "8080")
        .set("S3_ALLOW_HTTP=perhaps");
    let mut errors = place.errors();
    errors.sort();
    assert_eq!(
        errors,
        [
            "BIND: «8080» is not an address and port, such as 127.0.0.1:8080 or [::1]:8080 [from environment]",
            "MAX_BODY_BOT: «8M» is not a size, such as 8MiB, 64MB or 8388608 [from .env]",
            "S3_ALLOW_HTTP: «perhaps» is neither true nor false [from --set]",
            "SMTP_PORT: «abc» is not a port (1–65535) [from embudo.toml]",
            "smpt_host: there is no such setting; did you mean SMTP_HOST? [from embudo.toml]",
        ]
    );
    assert!(place.load().unwrap_err().to_string().starts_with("the settings cannot be used:\n  "));
}

#[test]
fn the_file_takes_toml_types_and_refuses_what_is_no_setting() {
    let text = "smtp_port = 465\ns3_allow_http = true\ntrusted_proxies = ['10.0.0.0/8', '::1']\n";
    let settings = Place::new().file("embudo.toml", text).ok();
    assert_eq!(settings.smtp_port.get(), 465);
    assert!(settings.s3_allow_http);
    assert_eq!(settings.trusted_proxies.len(), 2);

    let refused = |text: &str| Place::new().file("embudo.toml", text).error();
    assert_eq!(refused("drain_s = 1\nDRAIN_S = 2"), "DRAIN_S: is set twice [from embudo.toml]");
    assert_eq!(refused("[smtp]\nport = 1"), "smtp: there is no such setting [from embudo.toml]");
    assert!(refused("bind = { a = 1 }").starts_with("BIND: must be a text, a number"));
    let broken = refused("bind = '1'\nsmtp_password = geheim\n");
    assert!(
        broken.starts_with("embudo.toml: line 2 is not TOML: ") && !broken.contains("geheim"),
        "{broken}"
    );
}

#[test]
fn a_named_config_file_must_exist_and_is_named_in_messages() {
    let mut place = Place::new().file("other.toml", "drain_s = -1");
    place.flags.config = Some("other.toml".into());
    assert_eq!(place.error(), "DRAIN_S: «-1» is not a whole number of seconds [from other.toml]");
    place.flags.config = Some("missing.toml".into());
    assert!(place.error().starts_with("missing.toml: cannot be read: "));
}

#[test]
fn dotenv_takes_quotes_comments_and_export_and_keeps_secrets_out_of_errors() {
    let text = "\u{feff}# ours\nexport DRAIN_S=7 # why\nSMTP_USER='a b'\nSMTP_PASSWORD='x#y$z'\n";
    let settings = Place::new().file(".env", text).ok();
    assert_eq!(settings.drain_s.as_secs(), 7);
    assert_eq!(settings.smtp_user.as_deref(), Some("a b"));
    assert_eq!(settings.smtp_password.as_ref().map(Secret::expose), Some("x#y$z"));

    let broken = Place::new().file(".env", "FUNNEL_API_KEY='geheim").error();
    assert!(
        broken.starts_with(".env: the line «FUNNEL_API_KEY=…» ") && !broken.contains("geheim"),
        "{broken}"
    );
}

/// The second line of a secret that was wrapped begins with no name of a setting, and is not repeated.
#[test]
fn the_rest_of_a_wrapped_secret_is_kept_out_of_errors() {
    for rest in ["rest-of-it", "re/st+ofit==", "9restofit="] {
        let error = Place::new().file(".env", &format!("FUNNEL_API_KEY=abc\n{rest}\n")).error();
        assert!(!error.contains("ofit") && !error.contains("of-it"), "{error}");
        assert!(error.contains("NAME=value"), "{error}");
    }
}

#[test]
fn set_needs_a_known_name_and_a_value() {
    assert_eq!(
        Place::new().set("BINDD=x").error(),
        "BINDD: there is no such setting; did you mean BIND? [from --set]"
    );
    assert_eq!(Place::new().set("BIND").error(), "--set BIND: has no value; write --set BIND=VALUE");
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let error = Place::new().env("BODY_BUDGET", "1MiB").error();
    assert!(error.starts_with("BODY_BUDGET: is smaller than MAX_BODY_INGESTA"), "{error}");
    let place = Place::new().env("BLOB_URL", "s3://b").env("S3_ENDPOINT", "http://127.0.0.1:9000");
    assert!(place.error().starts_with("S3_ENDPOINT: is plain http"));
    place.env("S3_ALLOW_HTTP", "1").ok();
    for (blobs, dest) in [
        ("s3://b/fotos", "s3://b/fotos/"),
        ("file:///srv/fotos", "file:///srv/./fotos/"),
        ("file://fotos", "file://./fotos"),
    ] {
        let error = Place::new().env("BLOB_URL", blobs).env("BACKUP_DEST", dest).error();
        assert!(error.starts_with("BACKUP_DEST: is where BLOB_URL keeps the photos in use"), "{error}");
    }
    Place::new().env("BLOB_URL", "s3://b/fotos").env("BACKUP_DEST", "s3://b/copias").ok();
    let error = Place::new().env("BACKUP_DEST", "file://./data/blobs").error();
    assert!(error.starts_with("BACKUP_DEST: "), "the default counts too: {error}");
}

#[test]
fn what_is_shown_and_debugged_hides_every_secret() {
    let place = Place::new()
        .env("FUNNEL_API_KEY", "geheim")
        .env("METRICS_TOKEN", "geheim-geheim-geheim")
        .env(
            "WEBHOOK_SECRET",
            "whsec_geheimgeheimgeheimgeheimgeheimgeheim geheimgeheimgeheimgeheimgeheimgeheim",
        )
        .env("DATABASE_URL", "postgres://u:geheim@h/db")
        .env("PERFIL_WEBHOOK_URL", "https://u:geheim@h/x?token=geheim");
    let settings = place.ok();
    let shown = settings.effective();
    let value = |name: &str| shown.iter().find(|row| row.name == name).and_then(|row| row.value.as_deref());
    assert_eq!(value("FUNNEL_API_KEY"), Some("•••• (under 16 characters)"));
    assert_eq!(value("METRICS_TOKEN"), Some("•••• (16 characters or more)"));
    assert_eq!(value("WEBHOOK_SECRET"), Some("•••• (2 secrets)"));
    assert_eq!(value("DATABASE_URL"), Some("postgres://u:••••@h/db"));
    assert_eq!(value("SMTP_HOST"), None);
    assert_eq!(value("SMTP_TLS"), Some("starttls"));
    let all = format!("{shown:?} {settings:?}");
    assert!(!all.contains("geheim"), "{all}");
}

#[test]
fn the_table_for_the_guide_has_a_sound_row_for_every_setting() {
    let table = markdown_table();
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), DEFS.len() + 2);
    for row in &rows {
        assert_eq!(row.matches('|').count(), 4, "{row}");
    }
    assert!(
        table.contains("| `BIND` (`--bind`) | `127.0.0.1:8080` | Address and port the server listens on. |")
    );
    assert!(table.contains("Else `AWS_REGION`, then `AWS_DEFAULT_REGION` is used."));
}

#[test]
fn the_guide_shows_that_table() {
    let guide = include_str!("../../../../docs/settings.md");
    let (_, rest) = guide.split_once("<!-- settings: embudo config --markdown -->\n").unwrap();
    let (shown, _) = rest.split_once("<!-- /settings -->").unwrap();
    assert_eq!(shown, markdown_table(), "put the output of `embudo config --markdown` there");
}
