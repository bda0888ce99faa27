//! `embudo persona`: a person with a complete history of a lead is erased, and no file, dump, bucket or log contains
//! their data any more.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use embudo_backup::Database;
use embudo_delivery::{Pass, Passes};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::JobKind;
use embudo_domain::nota::NotaInterna;
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_domain::visita::{Visita, VisitaState};
use embudo_domain::{AuditId, JobId, LeadId, NotaId, PresupuestoId, Timestamp, UserId, VisitaId};
use embudo_store::Store;
use embudo_store::desk::HandAction;
use embudo_store::drafts::{DraftReason, OpenDraft};
use embudo_store::inbox::Viewer;
use embudo_store::lead_writes::RecordEvent;
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::rights::EraseLead;
use embudo_store::visits::{Claim, SaveVisita};
use embudo_store_postgres::PgStore;
use embudo_store_sqlite::SqliteStore;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Mailbox, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::json;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::client::{call, call_at};
use crate::hook::{Hook, jobs};
use crate::place::{Place, Server};

embudo_testkit::both_engines!(blocking: nothing_of_an_erased_person_is_left,
    a_lead_that_was_written_once_needs_no_scrub,
    nothing_is_left_in_a_bucket,
    an_interrupted_erasure_is_finished,
    a_copy_holds_everything,
    the_secret_of_passes_is_changed,
);

/// Contained in every text that can be written about the person, with a suffix that says which text.
const CANARY: &str = "zqcanario";
const PHONE: &str = "655443322";

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A mailbox and a receiver of signals, and the server that sends to them.
struct Outside {
    runtime: Runtime,
    mailbox: Option<Mailbox>,
    hook: Hook,
}

impl Outside {
    fn new() -> Self {
        let runtime = runtime();
        let mailbox = Some(runtime.block_on(Mailbox::start()));
        Self { runtime, mailbox, hook: Hook::new(Manner::Ok) }
    }

    fn serve<'a>(&self, place: &'a Place) -> Server<'a> {
        let (mailbox, url) = (self.mailbox.as_ref().unwrap().address, self.hook.receiver.url());
        let settings = [
            format!("MESSAGING_WEBHOOK_URL={url}"),
            format!("PERFIL_WEBHOOK_URL={url}"),
            format!("SMTP_HOST={}", mailbox.ip()),
            format!("SMTP_PORT={}", mailbox.port()),
            "SMTP_TLS=none".to_owned(),
            "EMAIL_FROM=embudo@ejemplo.es".to_owned(),
            "PUBLIC_URL=https://obras.es".to_owned(),
            "LOG=debug".to_owned(),
        ];
        place.serve_with(&settings.iter().flat_map(|set| ["--set", set.as_str()]).collect::<Vec<_>>())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _inside = self.runtime.enter();
        drop(self.mailbox.take());
    }
}

fn post(server: &Server<'_>, path: &str, body: &serde_json::Value, key: &str) -> serde_json::Value {
    let head = format!(
        "authorization: Bearer {}\r\nidempotency-key: {CANARY}-clave-{key}\r\nconnection: close\r\n",
        server.key
    );
    let answer = call_at(server.address(), "POST", path, &head, &body.to_string());
    assert!((200..300).contains(&answer.status), "{path}: {} {}", answer.status, answer.body);
    answer.json()
}

/// A picture with the canary after its end.
fn photo(n: u8) -> String {
    let mut bytes = jpeg(320, 240);
    bytes.extend(format!("{CANARY}-foto-{n}").bytes());
    data_uri(&bytes)
}

/// A person with a complete history: every field, chat, photos, renders, quote, mails and signals.
fn lived(server: &Server<'_>) -> LeadId {
    let word = |what: &str| format!("{CANARY}-{what}");
    let new = json!({
        "nombre": word("nombre"), "telefono": PHONE, "email": format!("{CANARY}@ejemplo.es"),
        "provincia": word("provincia"), "tasteText": word("gusto"), "utm": { "utm_source": word("utm") },
        "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "estructural": false,
        "esVivienda": true, "codigoPostal": "28013",
        "consentimientos": [{ "finalidad": word("finalidad"), "textoVersion": word("texto"), "otorgado": true }],
    });
    let id = post(server, "/api/leads", &new, "alta")["id"].as_str().unwrap().to_owned();
    let path = |what: &str| format!("/api/leads/{id}/{what}");
    let perfil = json!({ "botStep": word("paso"), "espacio": word("espacio"), "rangoM2": word("rango"),
        "estilo": word("estilo"), "presupuestoDeclarado": word("declarado") });
    post(server, &path("perfil"), &perfil, "perfil");
    for n in 0..60 {
        let turno = json!({ "rol": "user", "mensaje": word(&format!("mensaje-{n}")).repeat(1 + n * 5),
            "mediaType": "audio", "mediaUrl": word("url"), "transcripcionAudio": word("voz"), "botStep": word("otro") });
        post(server, &path("conversacion"), &turno, &format!("turno-{n}"));
    }
    let calificacion = json!({ "score": 80, "nivel": "A", "criterios": { "a": word("criterio") }, "notasAgente": word("agente") });
    post(server, &path("calificacion"), &calificacion, "calificacion");
    let intento = json!({ "canal": "llamada", "numeroIntento": 1, "notas": word("intento"), "metadata": { "a": word("meta") } });
    post(server, &path("intento"), &intento, "intento");
    let photos_before = json!({ "items": [{ "tipo": "foto", "imagen": photo(1) }, { "tipo": "texto", "texto": word("nota") }],
        "perfilCompleto": true });
    post(server, &path("ingesta"), &photos_before, "ingesta");
    let photos_after =
        json!({ "items": [{ "tipo": "foto", "imagen": photo(2), "momento": "despues" }], "finalizar": true });
    let end = post(server, &path("ingesta"), &photos_after, "finalizar");
    assert_eq!(end["finalizado"]["emailEnviado"], true, "{end}");
    LeadId::parse(&id).unwrap()
}

async fn open(place: &Place) -> Arc<dyn Store> {
    match place.database() {
        Database::Postgres(url) => PgStore::shared(&url, Default::default()).await.unwrap(),
        Database::Sqlite(path) => SqliteStore::shared(&path, &Default::default()).unwrap(),
    }
}

fn entry(lead: LeadId, action: AuditAction) -> AuditEntry {
    AuditEntry {
        id: AuditId(Uuid::now_v7()),
        at: Timestamp::now(),
        user: None,
        who: "Ana".to_owned(),
        empresa: None,
        action,
        object: Some(lead.to_string()),
        ip: None,
        before: Some(format!("{CANARY}-antes")),
        after: Some(format!("{CANARY}-despues")),
    }
}

/// Texts that people of the company write in the panel.
async fn worked_on(store: &Arc<dyn Store>, lead: LeadId) {
    let empresa = store.lead_empresa(lead).await.unwrap().unwrap();
    let (who, now) = (UserId(Uuid::now_v7()), Timestamp::now());
    let viewer = Viewer { who, empresas: vec![empresa] };
    let draft = json!({ "notas": format!("{CANARY}-borrador") }).to_string();
    let id = PresupuestoId(Uuid::now_v7());
    let draft = OpenDraft {
        id,
        lead,
        reason: DraftReason::ByHand,
        json: draft,
        by: Some(who),
        event: None,
        jobs: Vec::new(),
        at: now,
        audit: None,
    };
    store.open_draft(draft).await.unwrap();
    let action = HandAction { due: now + SignedDuration::from_hours(24), text: format!("{CANARY}-accion") };
    let told = entry(lead, AuditAction::LeadChanged);
    store.set_action(&viewer, lead, None, Some(action), told).await.unwrap();
    // A notice to the company's people as a job, and an event in the lead's history.
    let payload = NewPayload::Text(json!({ "nombre": format!("{CANARY}-aviso") }).to_string());
    let job = NewJob {
        id: JobId(Uuid::now_v7()),
        kind: JobKind::EmpresaMail,
        payload,
        lease: None,
        proximo_en: Some(now + SignedDuration::from_hours(24)),
    };
    let event = Event {
        kind: EventKind::RightAsked,
        simulated: false,
        ok: true,
        detail: Some(format!("{CANARY}-suceso")),
        creado_en: now,
    };
    let told = RecordEvent { lead, event: Some(event), jobs: vec![job], at: now, idempotency: None };
    store.record_event(told).await.unwrap();
    let reason = format!("{CANARY}-motivo-de-archivo");
    store.archive(&viewer, vec![lead], reason, now, entry(lead, AuditAction::LeadsArchived)).await.unwrap();
    let text = format!("{CANARY}-interna");
    let nota = NotaInterna { id: NotaId(Uuid::now_v7()), author: who, text, creada_en: now };
    store.add_nota_interna(&viewer, lead, nota, entry(lead, AuditAction::NotaWritten)).await.unwrap();
    let visita = Visita {
        id: VisitaId(Uuid::now_v7()),
        lead,
        empresa,
        state: VisitaState::Propuesta,
        revision: 1,
        sequence: 0,
        slots: vec![now + SignedDuration::from_hours(48)],
        start: None,
        minutes: 60,
        address: format!("{CANARY}-calle"),
        people: vec![who],
        notes: format!("{CANARY}-visita"),
        measurements: format!("{CANARY}-medidas"),
        creada_en: now,
        cambiada_en: now,
        cancelled: None,
    };
    let audit = Some(entry(lead, AuditAction::VisitaCreated));
    let (claim, jobs) = (Claim::Anyway, Vec::new());
    store
        .save_visita(SaveVisita { visita, seen: None, claim, event: None, jobs, audit, at: now })
        .await
        .unwrap();
}

/// Every place that contains bytes of the person: files of the data folder, and a dump of the database.
fn remains(place: &Place) -> Vec<String> {
    let mut found: Vec<String> = files(&place.path("data"))
        .into_iter()
        .filter(|path| holds(&std::fs::read(path).unwrap()))
        .map(|path| path.display().to_string())
        .collect();
    if let Database::Postgres(url) = place.database()
        && let dump = dump(&url)
        && holds(&dump)
    {
        let text = String::from_utf8_lossy(&dump).into_owned();
        let lines = text.lines().filter(|line| holds(line.as_bytes())).take(5);
        found.extend(lines.map(|line| format!("pg_dump: {}", line.chars().take(200).collect::<String>())));
    }
    found
}

fn holds(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    [CANARY, PHONE].iter().any(|word| lower.windows(word.len()).any(|window| window == word.as_bytes()))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// A dump of the schema, as a backup would have it.
pub fn dump(url: &str) -> Vec<u8> {
    let (server, schema) = url.split_once("options=-csearch_path%3D").unwrap();
    let programs = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut programs: Vec<PathBuf> = programs
        .map(|folder| folder.unwrap().path().join("bin/pg_dump"))
        .filter(|path| path.exists())
        .collect();
    programs.sort();
    let program = programs.pop().unwrap_or_else(|| "pg_dump".into());
    let server = server.trim_end_matches(['?', '&']);
    let output = Command::new(program).args(["--inserts", "-n", schema, "-d", server]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

fn nothing_of_an_erased_person_is_left(place: &Place) {
    let outside = Outside::new();
    let server = outside.serve(place);
    let lead = lived(&server);
    let stays = crate::hook::lead(&server);
    let store = outside.runtime.block_on(open(place));
    outside.runtime.block_on(worked_on(&store, lead));
    assert!(!jobs(place, &["--lead", &lead.to_string()]).is_empty());
    let before = remains(place);
    assert!(before.iter().any(|file| file.contains("blobs")), "photos: {before:?}");
    assert!(
        before.iter().any(|file| file.contains("embudo.db") || file.contains("pg_dump")),
        "rows: {before:?}"
    );
    let quote = place.ok(&["presupuesto", "list", &lead.to_string(), "--json"]);
    let quote: serde_json::Value = serde_json::from_str(&quote).unwrap();
    let page = quote[0]["pagina"].as_str().or(quote[0]["page"].as_str()).unwrap().to_owned();
    let at = |path: &str| call_at(server.address(), "GET", path, "connection: close\r\n", "").status;
    assert_eq!(at(&page), 200, "{quote}");
    let form = "content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n";
    let no = format!("motivo={CANARY}-no-quiero");
    assert_eq!(call_at(server.address(), "POST", &format!("{page}/rechazar"), form, &no).status, 303);

    // An operator erases a person while the server runs.
    let erased = place.ok(&["persona", "erase", &lead.to_string(), "--yes"]);
    assert!(erased.contains("erased"), "{erased}");
    assert_eq!(call(&server, "GET", &format!("/api/leads/{lead}"), "").status, 404);
    let turno = json!({ "rol": "user", "mensaje": "sigo aquí" }).to_string();
    assert_eq!(call(&server, "POST", &format!("/api/leads/{lead}/conversacion"), &turno).status, 404);
    assert_eq!(at(&page), 404, "the quote's link opens nothing");
    assert_eq!(call(&server, "GET", &format!("/api/leads/{stays}"), "").status, 200);
    assert!(
        place.ok(&["persona", "erase", &lead.to_string(), "--yes"]).contains("erased"),
        "again is no harm"
    );

    drop(store);
    let log = server.log.clone();
    assert!(server.stop().0.success());
    assert!(!holds(log.text().as_bytes()), "the log tells nothing");
    place.ok(&["persona", "scrub"]);
    assert_eq!(remains(place), Vec::<String>::new());
    assert!(
        !files(&place.path("data")).iter().any(|path| path.to_string_lossy().contains(&lead.to_string()))
    );

    let server = place.serve();
    assert_eq!(
        call(&server, "GET", &format!("/api/leads/{stays}"), "").status,
        200,
        "everybody else is there"
    );
    assert!(
        place.fails(&["persona", "erase", &Uuid::now_v7().to_string(), "--yes"]).contains("there is no lead")
    );
    assert!(place.fails(&["persona", "erase", &stays]).contains("--yes"), "nobody is asked, nothing is done");
}

/// The erasure itself overwrites rows that were written only once, so no `persona scrub` is needed.
fn a_lead_that_was_written_once_needs_no_scrub(place: &Place) {
    let server = place.serve();
    let new = json!({ "nombre": format!("{CANARY}-nombre"), "telefono": PHONE, "email": format!("{CANARY}@ejemplo.es") });
    let id = post(&server, "/api/leads", &new, "alta")["id"].as_str().unwrap().to_owned();
    let turno = json!({ "rol": "user", "mensaje": format!("{CANARY}-mensaje").repeat(400) });
    post(&server, &format!("/api/leads/{id}/conversacion"), &turno, "turno");
    assert!(!remains(place).is_empty());
    assert!(place.ok(&["persona", "erase", &id, "--yes"]).contains("erased"));
    assert_eq!(remains(place), Vec::<String>::new(), "with the server at work");
}

fn nothing_is_left_in_a_bucket(engine: &Place) {
    let Ok(endpoint) = std::env::var("EMBUDO_TEST_S3") else {
        panic!("EMBUDO_TEST_S3 (an S3 endpoint) is not set: run ./test")
    };
    let outside = Outside::new();
    let bucket = format!("persona-{}", Uuid::new_v4());
    let made = outside.runtime.block_on(async {
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::new().put(format!("{endpoint}/{bucket}")).send().await.unwrap()
    });
    assert!(made.status().is_success());
    let place = engine
        .sibling()
        .env("BLOB_URL", &format!("s3://{bucket}"))
        .env("S3_ENDPOINT", &endpoint)
        .env("S3_ALLOW_HTTP", "true")
        .env("S3_ACCESS_KEY_ID", "clave-de-pruebas")
        .env("S3_SECRET_ACCESS_KEY", "secreto-de-pruebas");
    let server = outside.serve(&place);
    let lead = lived(&server);
    let list = || -> Vec<String> {
        let listed = outside.runtime.block_on(async {
            reqwest::get(format!("{endpoint}/{bucket}?list-type=2")).await.unwrap().text().await.unwrap()
        });
        listed.split("<Key>").skip(1).map(|key| key.split('<').next().unwrap().to_owned()).collect()
    };
    assert!(list().len() >= 3, "two photos and a PDF at least: {:?}", list());
    place.ok(&["persona", "erase", &lead.to_string(), "--yes"]);
    assert_eq!(list(), Vec::<String>::new());
}

/// An erasure that was killed after its rows were deleted is finished at the server's next start.
fn an_interrupted_erasure_is_finished(place: &Place) {
    let outside = Outside::new();
    let server = outside.serve(place);
    let lead = lived(&server);
    assert!(server.stop().0.success());
    let kept = |files: Vec<PathBuf>| {
        files.iter().filter(|p| p.to_string_lossy().contains(&lead.to_string())).count()
    };
    outside.runtime.block_on(async {
        let store = open(place).await;
        let audit = AuditEntry { before: None, after: None, ..entry(lead, AuditAction::PersonErased) };
        let (reason, who, retention) = (ErasureReason::Asked, "Ana".to_owned(), Retention::default());
        store
            .erase_lead(EraseLead { lead, reason, term: None, who, retention, audit, at: Timestamp::now() })
            .await
            .unwrap();
        assert_eq!(store.open_erasures(10).await.unwrap().len(), 1);
    });
    assert!(kept(files(&place.path("data/blobs"))) > 0, "the bytes are still there");
    let server = outside.serve(place);
    server.log.wait_for("erasures finished");
    assert_eq!(kept(files(&place.path("data/blobs"))), 0);
    assert!(server.stop().0.success());
    outside.runtime.block_on(async {
        assert_eq!(open(place).await.open_erasures(10).await.unwrap(), vec![]);
    });
    place.ok(&["persona", "scrub"]);
    assert_eq!(remains(place), Vec::<String>::new());
}

fn a_copy_holds_everything(place: &Place) {
    let outside = Outside::new();
    let server = outside.serve(place);
    let lead = lived(&server);
    let store = outside.runtime.block_on(open(place));
    outside.runtime.block_on(worked_on(&store, lead));
    let file = place.path("copia.zip");
    let export = ["persona", "export", &lead.to_string(), "--output", file.to_str().unwrap()];
    place.ok(&export);
    assert!(place.fails(&export).contains("copia.zip"), "nothing is overwritten");
    let bytes = std::fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"PK"));
    // The archive is not compressed, so that its bytes can be searched.
    let text = String::from_utf8_lossy(&bytes);
    for name in [
        "LEEME.txt",
        "conversacion.txt",
        "datos/lead.json",
        "datos/consentimiento.json",
        "datos/trabajo.json",
        "datos/visita.json",
        "interno/nota_interna.json",
        "interno/visita_notas.json",
        "presupuestos/",
        "correos/001-",
        "fotos/001-",
    ] {
        assert!(text.contains(name), "{name}");
    }
    for what in [
        "nombre",
        "provincia",
        "gusto",
        "utm",
        "finalidad",
        "texto",
        "espacio",
        "mensaje-59",
        "voz",
        "criterio",
        "agente",
        "intento",
        "meta",
        "nota",
        "interna",
        "calle",
        "visita",
        "medidas",
        "foto-1",
        "foto-2",
    ] {
        assert!(text.contains(&format!("{CANARY}-{what}")), "{what}");
    }
    assert!(text.contains("%PDF-"), "the quote");
    assert!(text.contains(&format!("Para: {CANARY}@ejemplo.es\n")), "the mail with it");
    // The name occurs in the read-me, before the file's bytes, and in the list at the end.
    let visits = text.split("datos/visita.json").nth(2).unwrap().split("PK").next().unwrap();
    assert!(visits.contains("-calle") && !visits.contains("-visita"), "notes stand apart: {visits}");
    let unzip = Command::new("python3").args(["-m", "zipfile", "-t", file.to_str().unwrap()]).output();
    if let Ok(tested) = unzip {
        assert!(tested.status.success(), "{tested:?}");
    }
    assert!(
        place.fails(&["persona", "export", "x", "--output", "y.zip"]).contains("is not the id of a lead")
    );
}

fn the_secret_of_passes_is_changed(place: &Place) {
    let outside = Outside::new();
    let server = outside.serve(place);
    let lead = lived(&server).to_string();
    let page = |server: &Server<'_>| {
        let list: serde_json::Value =
            serde_json::from_str(&place.ok(&["presupuesto", "list", &lead, "--json"])).unwrap();
        let path = list[0]["pagina"].as_str().or(list[0]["page"].as_str()).unwrap().to_owned();
        let status = call_at(server.address(), "GET", &path, "connection: close\r\n", "").status;
        (path, status)
    };
    let opens = |server: &Server<'_>, path: &str| {
        call_at(server.address(), "GET", path, "connection: close\r\n", "").status
    };
    let (first, status) = page(&server);
    assert_eq!(status, 200);
    let secrets = outside.runtime.block_on(async { open(place).await.secrets("pases").await.unwrap() });
    let consents =
        Passes::new(&secrets[0].1).write(Pass::Consentimientos(LeadId::parse(&lead).unwrap()), None);
    let (consents, reminders) = (format!("/c/{consents}"), format!("/r/{consents}"));
    assert_eq!((opens(&server, &consents), opens(&server, &reminders)), (200, 200));
    server.stop();
    assert!(place.ok(&["pases", "rotate"]).contains("restart the servers"));
    let server = outside.serve(place);
    let (second, status) = page(&server);
    assert_ne!(first, second);
    assert_eq!((status, opens(&server, &first)), (200, 200), "links of before open for a while");
    server.stop();
    assert!(place.ok(&["pases", "drop-old"]).contains("1 former"));
    let server = outside.serve(place);
    assert_eq!((opens(&server, &first), opens(&server, &second)), (404, 200));
    assert_eq!((opens(&server, &consents), opens(&server, &reminders)), (200, 200), "these never end");
    assert!(place.ok(&["pases", "drop-old"]).contains("0 former"), "once");
    let record = call(&server, "GET", &format!("/api/leads/{lead}"), "").json();
    assert_eq!(record["fotos"].as_array().unwrap().len(), 2);
    let href = record["fotos"][0]["href"].as_str().unwrap();
    assert_eq!(call(&server, "GET", href, "").status, 200, "the blobs' name does not hang on it");
}
