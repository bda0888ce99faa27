//! Every setting, once: name, type, default, meaning.
//!
//! To add one, add its entry to `settings!` below; reading, `embudo config` and the table of docs/settings.md follow.
//! The type decides how the text is parsed, whether it is hidden when shown, and whether it may be absent
//! (`Option<…>`). `<DATA_DIR>` in a default means the value of that setting. No logic lives here.

use super::db_url::DatabaseUrl;
use super::def::Def;
use super::mail::{Host, Mailbox, SmtpTls};
use super::outbox::{Days, OnDoubt, WebhookSecrets};
use super::sources::{Reader, Source};
use super::url::{BaseUrl, BlobUrl, HttpUrl, McpHost};
use super::value::{ApiKey, LogFilter, LogFormat, Ratio, Secret, Value};
use embudo_delivery::Allowed;
use ipnet::IpNet;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::time::Duration;

macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        $field:ident: $ty:ty = $name:literal $(default $default:literal)? $(also [$($alias:literal),+])?;
    )+) => {
        /// Every setting, parsed.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $( $(#[doc = $doc])+ pub $field: $ty, )+
            /// Where each value came from, by name.
            pub(super) origins: BTreeMap<&'static str, Source>,
        }

        /// All settings in the order in which they are shown.
        pub const DEFS: &[Def] = &[$(
            Def {
                name: $name,
                default: [$(Some($default),)? None][0],
                aliases: &[$($($alias),+)?],
                doc: concat!($($doc),+).trim_ascii_start(),
            }
        ),+];

        impl Settings {
            /// Parses every setting; `None` if one was refused: then the reader has all the reasons.
            pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
                let mut defs = DEFS.iter();
                $( let $field = defs.next().and_then(|def| reader.read::<$ty>(def)); )+
                Some(Self { $( $field: $field?, )+ origins: reader.take_origins() })
            }

            /// Name, value for people (`None` = not set) and whether it is a secret, in table order.
            pub(super) fn shown(&self) -> Vec<(&'static str, Option<String>, bool)> {
                vec![$( ($name, self.$field.show(), <$ty as Value>::SECRET) ),+]
            }
        }
    };
}

settings! {
    /// Address and port the server listens on.
    bind: SocketAddr = "BIND" default "127.0.0.1:8080";
    /// Folder for everything the server keeps: database, photos, API key. Made on first start.
    data_dir: PathBuf = "DATA_DIR" default "./data";
    /// Where the records are kept: `sqlite://<path>` or `postgres://user:password@host/database`.
    database_url: DatabaseUrl = "DATABASE_URL" default "sqlite://<DATA_DIR>/embudo.db";
    /// Where the photos' bytes are kept: `file://<folder>` or `s3://bucket/prefix`.
    blob_url: BlobUrl = "BLOB_URL" default "file://<DATA_DIR>/blobs";
    /// Address of an S3 server other than Amazon's.
    s3_endpoint: Option<HttpUrl> = "S3_ENDPOINT" also ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
    /// Region of the bucket.
    s3_region: String = "S3_REGION" default "us-east-1" also ["AWS_REGION", "AWS_DEFAULT_REGION"];
    /// Access key for the bucket.
    s3_access_key_id: Option<String> = "S3_ACCESS_KEY_ID" also ["AWS_ACCESS_KEY_ID"];
    /// Secret that belongs to the access key.
    s3_secret_access_key: Option<Secret> = "S3_SECRET_ACCESS_KEY" also ["AWS_SECRET_ACCESS_KEY"];
    /// Whether `S3_ENDPOINT` may be plain http.
    s3_allow_http: bool = "S3_ALLOW_HTTP" default "false";
    /// Where backups go by themselves: `file://<folder>` or `s3://bucket/prefix`. None are made where it is not set.
    backup_dest: Option<BlobUrl> = "BACKUP_DEST";
    /// Hours from one such backup to the next.
    backup_every_hours: NonZeroU32 = "BACKUP_EVERY_HOURS" default "24";
    /// How many backups are kept there; older ones are removed.
    backup_keep: NonZeroU32 = "BACKUP_KEEP" default "14";
    /// Address under which people and outside services reach the server, such as
    /// `https://leads.example.com`. With it signals carry links to photos, signed and valid for 7 days;
    /// without it, the photos themselves.
    public_url: Option<BaseUrl> = "PUBLIC_URL";
    /// Addresses or networks of proxies whose `X-Forwarded-For` is believed, separated by commas or spaces.
    trusted_proxies: Vec<IpNet> = "TRUSTED_PROXIES" default "";
    /// The Bearer key of the API, 32 random characters or more; a shorter one starts with a warning. Where it is
    /// not set, one is made on first start and kept in `<DATA_DIR>/api-key`.
    funnel_api_key: Option<ApiKey> = "FUNNEL_API_KEY";
    /// The key before it, accepted too while callers change over.
    funnel_api_key_previous: Option<ApiKey> = "FUNNEL_API_KEY_PREVIOUS";
    /// Receives the complete profile of a lead.
    perfil_webhook_url: Option<HttpUrl> = "PERFIL_WEBHOOK_URL";
    /// Receives the finished quote for delivery by messaging.
    messaging_webhook_url: Option<HttpUrl> = "MESSAGING_WEBHOOK_URL";
    /// Receives the start of a conversation by messaging.
    messaging_start_webhook_url: Option<HttpUrl> = "MESSAGING_START_WEBHOOK_URL";
    /// Receives what a person writes to a client in the panel, to be sent by messaging. Without it the panel offers
    /// mail and a WhatsApp link.
    messaging_reply_webhook_url: Option<HttpUrl> = "MESSAGING_REPLY_WEBHOOK_URL";
    /// Is told what happens to leads: new ones, calls asked for, quotes sent and answered, visits. Ids and amounts
    /// alone.
    events_webhook_url: Option<HttpUrl> = "EVENTS_WEBHOOK_URL";
    /// Signs every signal (Standard Webhooks): `whsec_` and base64; several, separated by spaces, sign
    /// together while receivers change over. Without it signals are not signed.
    webhook_secret: Option<WebhookSecrets> = "WEBHOOK_SECRET";
    /// Seconds from an accepted profile signal to the first render; later the lead is marked overdue.
    loop_renders_s: Duration = "LOOP_RENDERS_S" default "7200";
    /// Seconds from the first render to `finalizar`; later the lead is marked overdue.
    loop_finalizar_s: Duration = "LOOP_FINALIZAR_S" default "7200";
    /// How many profile signals are sent again by themselves when renders are overdue.
    loop_resignal: u32 = "LOOP_RESIGNAL" default "0";
    /// Seconds in which the same `finalizar` without an `Idempotency-Key` is the same call, after everything of the
    /// first was delivered: a workflow that lost the answer must not mail the client twice. 0 turns it off.
    finalizar_dedupe_s: Duration = "FINALIZAR_DEDUPE_S" default "60";
    /// Private hosts that photos given by URL may be fetched from, separated by commas or spaces, such as
    /// `minio.internal:9000` or `10.1.0.0/16`. Public ones need no entry.
    fetch_allow: Vec<Allowed> = "FETCH_ALLOW" default "";
    /// Your own template for quotes, a Typst file; what goes wrong with it is told in the lead's history and the
    /// shipped one is used.
    quote_template: Option<PathBuf> = "QUOTE_TEMPLATE";
    /// Lines that a quote may have, options among them. The editor asks for fewer; where a quote is made by itself,
    /// those that do not fit are summed in one.
    quote_max_lines: NonZeroU32 = "QUOTE_MAX_LINES" default "300";
    /// Text that a quote may hold. The editor asks for less; where a quote is made by itself, the longest texts end in
    /// «…».
    quote_max_text: u64 = "QUOTE_MAX_TEXT" default "60kB";
    /// Days that ended signals and mails are kept with their delivery logs.
    keep_jobs_days: Days = "KEEP_JOBS_DAYS" default "30";
    /// Mail server. Without it or `EMAIL_FROM` no mail is sent.
    smtp_host: Option<Host> = "SMTP_HOST";
    /// Port of the mail server.
    smtp_port: NonZeroU16 = "SMTP_PORT" default "587";
    /// User at the mail server, where it asks for one.
    smtp_user: Option<String> = "SMTP_USER";
    /// Password of that user.
    smtp_password: Option<Secret> = "SMTP_PASSWORD";
    /// Encryption towards the mail server: `none`, `starttls` or `tls`; by default `tls` on port 465, else `starttls`.
    smtp_tls: Option<SmtpTls> = "SMTP_TLS";
    /// File with certificates (PEM) that are trusted for the mail server beside the public ones.
    smtp_ca_file: Option<PathBuf> = "SMTP_CA_FILE";
    /// Sender of the mail: `ana@example.com` or `Ana <ana@example.com>`.
    email_from: Option<Mailbox> = "EMAIL_FROM";
    /// A mail of which nobody knows whether the server took it: `park` leaves it to a person (never two),
    /// `retry` sends it again (never none).
    email_on_doubt: OnDoubt = "EMAIL_ON_DOUBT" default "park";
    /// Largest body on the bot endpoints. Sizes are bytes or carry a unit (`8MiB`, `64MB`).
    max_body_bot: u64 = "MAX_BODY_BOT" default "8MiB";
    /// Largest body on ingestion.
    max_body_ingesta: u64 = "MAX_BODY_INGESTA" default "64MiB";
    /// Hosts under which `/mcp` answers beside this machine's own, that of `PUBLIC_URL` and that of `BIND`, separated
    /// by commas or spaces; one without a port is right with every port.
    mcp_hosts: Vec<McpHost> = "MCP_HOSTS" default "";
    /// Memory that large bodies of calls with a key may take together; further ones wait for their share.
    /// What people without a key send has half as much of its own, and small bodies an eighth.
    body_budget: u64 = "BODY_BUDGET" default "128MiB";
    /// Connections served at the same time; for the next one, the one that has been idle longest is closed.
    max_connections: NonZeroU32 = "MAX_CONNECTIONS" default "8192";
    /// Requests a minute allowed to a caller with a right key; no limit where it is not set.
    rate_limit_key: Option<NonZeroU32> = "RATE_LIMIT_KEY";
    /// New leads an hour that the public form takes from one address (an IPv6 network of 64 bits is one).
    form_leads_per_hour: u32 = "FORM_LEADS_PER_HOUR" default "10";
    /// Photos an hour that the public form takes from one address; a refused photo counts too.
    form_photos_per_hour: u32 = "FORM_PHOTOS_PER_HOUR" default "60";
    /// New leads a day that the public form takes for one company.
    form_leads_per_day: u32 = "FORM_LEADS_PER_DAY" default "500";
    /// Attempts to sign in to the panel that an account has in a quarter of an hour, from anywhere.
    panel_tries_per_account: u32 = "PANEL_TRIES_PER_ACCOUNT" default "10";
    /// Attempts to sign in to the panel that an address has in a quarter of an hour, at any account.
    panel_tries_per_address: u32 = "PANEL_TRIES_PER_ADDRESS" default "40";
    /// Own address and port for `/metrics`; where it is not set, `/metrics` is served on `BIND` to `METRICS_TOKEN`.
    metrics_bind: Option<SocketAddr> = "METRICS_BIND";
    /// Bearer token that `/metrics` asks for.
    metrics_token: Option<Secret> = "METRICS_TOKEN";
    /// OpenTelemetry collector that traces are sent to (OTLP over HTTP, JSON), such as `http://127.0.0.1:4318`. None
    /// are made where it is not set.
    otel_endpoint: Option<HttpUrl> = "OTEL_EXPORTER_OTLP_ENDPOINT";
    /// What the server is called in traces.
    otel_service_name: String = "OTEL_SERVICE_NAME" default "embudo";
    /// Part of the new traces that is recorded, from 0 to 1. A caller that sends `traceparent` decides for itself.
    otel_ratio: Ratio = "OTEL_TRACES_SAMPLER_ARG" default "1";
    /// Log as `text`, as `json` lines, or `auto`: text on a terminal, JSON otherwise.
    log_format: LogFormat = "LOG_FORMAT" default "auto";
    /// What is logged: `error`, `warn`, `info`, `debug`, `trace`, also by module (`info,embudo_api=debug`).
    /// Libraries say only what is wrong, at any level: below it they print personal data.
    log: LogFilter = "LOG" default "info";
    /// Seconds that running requests and deliveries are given to finish at shutdown.
    drain_s: Duration = "DRAIN_S" default "30";
}
