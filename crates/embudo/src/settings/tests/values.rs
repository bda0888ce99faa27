//! What single settings accept and refuse, tested through loading, because the messages are part of the behaviour.

use super::*;

#[test]
fn an_empty_or_unusable_api_key_stops_the_start() {
    for name in ["FUNNEL_API_KEY", "FUNNEL_API_KEY_PREVIOUS"] {
        for value in ["", "  ", "\t"] {
            let error = Place::new().env(name, value).error();
            let expected = "the value is empty; give it a key, or remove it altogether [from environment]";
            assert_eq!(error, format!("{name}: {expected}"));
        }
        let error = Place::new().env(name, "geheim ").error();
        assert!(error.contains("no header can carry") && !error.contains("geheim"), "{error}");
    }
    let settings = Place::new().env("FUNNEL_API_KEY", "clave con espacio").ok();
    assert_eq!(settings.funnel_api_key.unwrap().expose(), "clave con espacio");
}

#[test]
fn database_addresses() {
    let parsed =
        |text: &str| Place::new().env("DATABASE_URL", text).load().map(|settings| settings.database_url);
    assert_eq!(parsed("sqlite:///a/b.db").unwrap(), DatabaseUrl::Sqlite("/a/b.db".into()));
    assert_eq!(parsed("sqlite://b.db").unwrap(), DatabaseUrl::Sqlite("b.db".into()));
    for url in
        ["postgres://u:p@h:5433/db", "postgresql://h1:1,h2:2/db", "postgres:///db?host=/run/postgresql"]
    {
        assert_eq!(parsed(url).unwrap(), DatabaseUrl::Postgres(url.to_owned()));
    }
    for url in [
        "mysql://u:geheim@h/db",
        "postgres://u:geheim@h:port/db",
        "postgres://u:geheim@h/db?x=1",
        "postgres://",
    ] {
        let error = parsed(url).unwrap_err().to_string();
        assert!(error.contains("DATABASE_URL: «") && !error.contains("geheim"), "{error}");
    }
    assert!(parsed("sqlite://").is_err() && parsed("sqlite://x.db?mode=rwc").is_err());
    assert!(parsed("sqlite://:memory:").is_err() && parsed("data.db").is_err());
}

#[test]
fn photo_places() {
    let parsed = |text: &str| Place::new().env("BLOB_URL", text).load().map(|settings| settings.blob_url);
    let s3 =
        |bucket: &str, prefix: &str| BlobUrl::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() };
    assert_eq!(parsed("file:///srv/blobs").unwrap(), BlobUrl::Folder("/srv/blobs".into()));
    assert_eq!(parsed("s3://b").unwrap(), s3("b", ""));
    assert_eq!(parsed("s3://b/a/b/").unwrap(), s3("b", "a/b"));
    for text in ["/srv/blobs", "file://", "s3://", "s3:///x", "s3://b/x?y", "gs://b"] {
        assert!(parsed(text).is_err(), "{text}");
    }
}

#[test]
fn s3_falls_back_to_the_variables_of_aws_but_what_is_written_for_us_wins() {
    let place = Place::new()
        .env("AWS_REGION", "eu-west-1")
        .env("AWS_ACCESS_KEY_ID", "id")
        .env("AWS_SECRET_ACCESS_KEY", "geheim");
    let settings = place.ok();
    assert_eq!(
        (settings.s3_region.as_str(), settings.source("S3_REGION")),
        ("eu-west-1", "AWS_REGION".to_owned())
    );
    assert_eq!(settings.s3_access_key_id.as_deref(), Some("id"));
    let settings = place.file("embudo.toml", "S3_REGION = 'eu-south-2'").ok();
    assert_eq!(settings.s3_region, "eu-south-2");
}

#[test]
fn addresses_need_a_scheme_and_a_host() {
    for name in [
        "PERFIL_WEBHOOK_URL",
        "MESSAGING_WEBHOOK_URL",
        "MESSAGING_START_WEBHOOK_URL",
        "MESSAGING_REPLY_WEBHOOK_URL",
        "EVENTS_WEBHOOK_URL",
        "PUBLIC_URL",
    ] {
        for text in ["example.com", "ftp://h/", "http://", "http:h", "http:/h", "/x", "https://exa mple.com"]
        {
            let error = Place::new().env(name, text).error();
            assert!(
                error.starts_with(&format!("{name}: «{text}» is not an http or https address")),
                "{error}"
            );
        }
        Place::new().env(name, "HTTP://127.0.0.1:5678/webhook").ok();
    }
}

#[test]
fn the_public_address_can_be_joined_with_a_path() {
    let parsed = |text: &str| {
        Place::new().env("PUBLIC_URL", text).load().map(|s| s.public_url.unwrap().as_str().to_owned())
    };
    assert_eq!(parsed("https://Leads.es").unwrap(), "https://leads.es");
    assert_eq!(parsed("https://leads.es//").unwrap(), "https://leads.es");
    assert_eq!(parsed("https://leads.es:8443/embudo/").unwrap(), "https://leads.es:8443/embudo");
    assert!(parsed("https://leads.es/?a=b").is_err() && parsed("https://leads.es/#x").is_err());
    assert!(!parsed("https://u:geheim@leads.es").unwrap_err().to_string().contains("geheim"));
}

#[test]
fn proxies_are_addresses_or_networks() {
    let parsed = |text: &str| {
        Place::new().env("TRUSTED_PROXIES", text).load().map(|settings| settings.trusted_proxies)
    };
    let shown: Vec<String> =
        parsed("10.1.2.3/8, ::1  192.168.0.1,").unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["10.0.0.0/8", "::1/128", "192.168.0.1/32"]);
    assert!(parsed("10.0.0.0/8, proxy").unwrap_err().to_string().contains("see «proxy»"));
}

#[test]
fn mail_is_configured_once_host_and_sender_are_there() {
    let place = Place::new().env("SMTP_HOST", "mail.es");
    assert!(place.ok().smtp().is_none());
    let place = place.env("EMAIL_FROM", "Ana <ana@example.com>");
    assert_eq!(place.ok().smtp().map(|smtp| (smtp.port.get(), smtp.tls)), Some((587, SmtpTls::Starttls)));
    let place = place.env("SMTP_PORT", "465");
    assert_eq!(place.ok().smtp().map(|smtp| smtp.tls), Some(SmtpTls::Tls));
    let place = place.env("SMTP_TLS", "none").env("SMTP_USER", "ana");
    assert!(place.error().starts_with("SMTP_USER: SMTP_USER and SMTP_PASSWORD must be set together"));
    let settings = place.env("SMTP_PASSWORD", "x").ok();
    let smtp = settings.smtp().unwrap();
    assert_eq!((smtp.tls, smtp.login.map(|(user, _)| user)), (SmtpTls::None, Some("ana")));

    for (name, bad) in [("SMTP_HOST", "mail.es:25"), ("SMTP_HOST", "smtp://mail.es"), ("SMTP_PORT", "0")] {
        assert!(Place::new().env(name, bad).error().starts_with(&format!("{name}: «{bad}» is not a ")));
    }
    for bad in ["ana", "@b", "a@", "a@b@c", "Ana <a@b", "a b@c", "a@b\r\nBcc: c@d"] {
        assert!(Place::new().env("EMAIL_FROM", bad).error().contains("is not a mail address"), "{bad}");
    }
}

#[test]
fn log_filters_catch_misspelt_levels() {
    for good in ["info", "WARN,embudo_api=debug", "off"] {
        assert_eq!(Place::new().env("LOG", good).ok().log.as_str(), good);
    }
    for bad in ["inof", "info,embudo_api", "embudo=loud"] {
        assert!(Place::new().env("LOG", bad).error().contains("is not a log filter"), "{bad}");
    }
}

#[test]
fn a_value_that_is_not_utf8_is_refused_by_name() {
    assert!(Place::new().env("DATA_DIR", "da\u{fffd}ta").error().contains("is not valid UTF-8"));
}

#[test]
fn a_postgres_address_may_say_how_certificates_are_checked() {
    for good in ["?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem", "?sslmode=disable&connect_timeout=2", ""]
    {
        let url = format!("postgres://u:p@h/db{good}");
        assert_eq!(
            Place::new().env("DATABASE_URL", &url).ok().database_url,
            DatabaseUrl::Postgres(url.clone())
        );
    }
    let bad = Place::new().env("DATABASE_URL", "postgres://h/db?sslmode=siempre").error();
    assert!(bad.contains("holds an sslmode that is not one of disable"), "{bad}");
    assert!(
        Place::new()
            .env("DATABASE_URL", "postgres://h/db?nonsense=1")
            .error()
            .contains("is not a PostgreSQL")
    );
}

#[test]
fn secrets_that_sign_are_read_at_the_start() {
    let error = Place::new().env("WEBHOOK_SECRET", "geheim").error();
    assert!(error.starts_with("WEBHOOK_SECRET: the value cannot be used: secret 1 is not usable"), "{error}");
    assert!(error.contains("openssl rand") && !error.contains("geheim"), "{error}");
    assert!(Place::new().env("WEBHOOK_SECRET", " ").ok().webhook_secret.is_none());
}

#[test]
fn times_of_the_outbox_are_bounded() {
    for days in ["0", "36501", "-1", "x"] {
        let error = Place::new().env("KEEP_JOBS_DAYS", days).error();
        assert!(error.contains("is not a whole number of days (1–36500)"), "{error}");
    }
    assert!(Place::new().env("LOOP_RENDERS_S", "0").error().contains("overdue at once"));
    assert!(Place::new().env("LOOP_RESIGNAL", "-1").error().contains("is not a whole number"));
    assert!(Place::new().env("EMAIL_ON_DOUBT", "maybe").error().contains("is neither park nor retry"));
}

#[test]
fn traces_are_recorded_by_a_part_from_0_to_1() {
    for part in ["2", "-0.1", "NaN", "all"] {
        let error = Place::new().env("OTEL_TRACES_SAMPLER_ARG", part).error();
        assert!(error.contains("is not a number from 0 to 1, such as 0.1"), "{error}");
    }
    let settings = Place::new().env("OTEL_TRACES_SAMPLER_ARG", "0.25").ok();
    assert!((settings.otel_ratio.get() - 0.25).abs() < f64::EPSILON && settings.otel_endpoint.is_none());
    let error = Place::new().env("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318").error();
    assert!(error.contains("is not an http or https address with a host"), "{error}");
}
