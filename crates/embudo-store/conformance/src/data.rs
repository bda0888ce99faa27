//! Commands ready to be sent: fixed times, fresh ids, plausible people.
//!
//! Nothing here looks at a clock, so that a case that fails today fails tomorrow. Ids are random, because no case may
//! depend on their order unless it makes its ids itself.

pub mod access;
pub mod inbox;
pub mod outbox;
pub mod presupuesto;
mod random;

use std::sync::Arc;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::columns::{Cell, CellType, Column};
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::direccion::Direccion;
use embudo_domain::empresa::Empresa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::foto::StoredImage;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Channel, Intento};
use embudo_domain::iva::Contratante;
use embudo_domain::notice::Topics;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::Perfil;
use embudo_domain::provincia::CodigoPostal;
use embudo_domain::record::LeadRecord;
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{Digest, EmpresaId, FotoId, IntentoId, Kind, LeadId, NotaId, Timestamp, TurnoId, Zona};
use uuid::Uuid;

use embudo_store::lead_writes::{
    AppendTurno, Ingest, NewFoto, NewNota, RecordEvent, RecordIntento, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::leads::CreateLead;
use embudo_store::leads::search_text;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::{Done, Idempotency, Outcome, Store};
pub use random::{Random, long_text};

/// The largest integer that JSON numbers keep exactly.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Text that breaks naive storage: accents, emoji joined by zero-width characters, quotes, a backslash, line ends,
/// right-to-left letters, and a character outside the basic plane.
pub const ODD_TEXT: &str =
    "Ñandú «ü» 👩🏽‍🔧🏳️‍🌈 'x' \"y\" \\n \\x00 %s $1 ?1 \r\n\t\u{1}\u{7f}\u{feff}\u{202e}שלום \u{10ffff} e\u{301}";

/// An instant `secs` after a fixed one, with a microsecond part.
pub fn t(secs: i64) -> Timestamp {
    micros(1_794_652_200_123_456 + secs * 1_000_000)
}

/// The instant this many microseconds after 1970.
pub fn micros(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).expect("the suite's instants are in range")
}

/// Instants at the edges of what the API accepts.
pub fn extreme_instants() -> Vec<Timestamp> {
    [
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00.000001Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
    ]
    .iter()
    .chain(&["1999-12-31T23:59:59.999999Z", "2026-11-14T10:30:00.123456Z", "9999-12-30T21:59:59.999999Z"])
    .map(|text| text.parse().expect("an instant"))
    .collect()
}

/// A company of this name, with a slug of its own, not the default one.
pub fn empresa(nombre: &str) -> Empresa {
    let id = Uuid::new_v4();
    Empresa {
        id: EmpresaId(id),
        nombre: nombre.to_owned(),
        slug: format!("e-{}", id.simple()),
        por_defecto: false,
        email_avisos: None,
        notices: true,
        topics: Topics::ALL,
        personal_topics: Topics::NONE,
    }
}

/// A telephone: as typed, and in its normal form.
pub fn telefono(digits: &str) -> Telefono {
    Telefono { typed: format!("{digits} "), e164: format!("+34{digits}") }
}

/// An e-mail: as typed, and in its normal form.
pub fn email(typed: &str) -> Email {
    Email { typed: typed.to_owned(), normal: typed.to_lowercase() }
}

/// An obra in which every field that decides tax and price is known.
pub fn obra_completa() -> Obra {
    Obra {
        es_vivienda: Some(true),
        contratante: Some(Contratante::Comunidad),
        dos_anos: Some(false),
        banos: Some(2),
        planta: Some(3),
        ascensor: Some(true),
        codigo_postal: CodigoPostal::parse("15001"),
        m2_estimado: Some(12.5),
        direccion: Direccion::parse("Rúa do Sol 3, 2.º B"),
    }
}

/// A lead of the default company with a telephone and an e-mail that no other lead has.
pub fn new_lead(nombre: &str) -> CreateLead {
    let id = Uuid::new_v4();
    let digits = format!("{:09}", id.as_u128() % 1_000_000_000);
    with_contact(LeadId(id), nombre, &digits, &format!("{}@Ejemplo.es", id.simple()))
}

/// A lead of the default company with this contact data.
pub fn with_contact(id: LeadId, nombre: &str, digits: &str, mail: &str) -> CreateLead {
    let (telefono, email) = (telefono(digits), email(mail));
    CreateLead {
        id,
        empresa: None,
        nombre: nombre.to_owned(),
        search: search_text(nombre, &email.typed, &telefono.e164, None),
        telefono,
        email,
        provincia: None,
        perfil: Perfil::default(),
        obra: Obra::default(),
        utm: Vec::new(),
        consentimientos: Vec::new(),
        imported: false,
        jobs: Vec::new(),
        at: t(0),
        idempotency: None,
    }
}

/// A default company and a lead in it.
pub async fn a_lead(store: &Arc<dyn Store>) -> LeadId {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("a default company");
    other_lead(store).await
}

/// One more lead of the default company.
pub async fn other_lead(store: &Arc<dyn Store>) -> LeadId {
    create(store, new_lead("Ana García")).await
}

/// Creates this lead.
pub async fn create(store: &Arc<dyn Store>, command: CreateLead) -> LeadId {
    let id = command.id;
    assert_eq!(store.create_lead(command).await.expect("the lead is created"), Done::Now);
    id
}

/// An id that no lead has.
pub fn nobody() -> LeadId {
    LeadId(Uuid::new_v4())
}

/// The record of a lead that exists.
pub async fn record(store: &Arc<dyn Store>, lead: LeadId) -> LeadRecord {
    store.record(lead).await.expect("the lead exists")
}

/// Creates a lead with an id to which a failed command was sent; the lead must have nothing but what it was created
/// with.
pub async fn without_trace(store: &Arc<dyn Store>, lead: LeadId) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("a default company");
    let mut new = new_lead("Recién llegada");
    new.id = lead;
    create(store, new).await;
    let f = record(store, lead).await;
    assert_eq!(f.lead.perfil, Perfil::default());
    assert_eq!((f.lead.actualizado_en, f.lead.watched_loop), (t(0), None));
    assert_eq!((f.fotos, f.notas, f.conversacion), (vec![], vec![], vec![]));
    assert_eq!((f.calificacion, f.intentos, f.events), (None, vec![], vec![]));
    assert_eq!(store.history(lead).await.expect("the lead exists"), vec![]);
    let own = JobFilter { lead: Some(lead), ..Default::default() };
    assert_eq!(store.list_jobs(own, None, 10).await.expect("a list"), vec![]);
}

/// A turn with this message that changes nothing on the lead.
pub fn turno(lead: LeadId, mensaje: &str, at: Timestamp) -> AppendTurno {
    let turno = Turno {
        rol: Rol::User,
        mensaje: mensaje.to_owned(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    AppendTurno { id: TurnoId(Uuid::new_v4()), lead, turno, at, idempotency: None }
}

/// A partial update of a profile.
pub fn perfil(lead: LeadId, perfil: Perfil, at: Timestamp) -> UpdatePerfil {
    UpdatePerfil { lead, perfil, m2_is_estimate: false, at, idempotency: None }
}

/// A profile in which every field is known.
pub fn perfil_completo() -> Perfil {
    perfil_full(1)
}

/// A profile in which every field is known; profiles with an even and an odd `n` differ in each field.
pub fn perfil_full(n: usize) -> Perfil {
    let texts = Perfil::COLUMNS.map(|column| format!("{} 🪵 {n}", column.name));
    let mut texts = texts.iter();
    perfil_from(|column| {
        let text = texts.next().expect("one for each column");
        Some(match (column.kind, column.holds) {
            (Kind::One(words), _) => Cell::Text(words[n % words.len()]),
            (_, CellType::Text) => Cell::Text(text),
            (_, CellType::Boolean) => Cell::Boolean(n.is_multiple_of(2)),
            (_, CellType::Number) => Cell::Number([5.55, 80.0][n % 2]),
            (_, CellType::Integer) => Cell::Integer([650_001, 0][n % 2]),
            (_, CellType::Instant) => Cell::Instant([t(-86_400), t(99)][n % 2]),
        })
    })
}

pub fn perfil_from<'a>(mut cell: impl FnMut(&'static Column) -> Option<Cell<'a>>) -> Perfil {
    let perfil =
        Perfil::from_cells(|column| Ok(cell(column)), |column| format!("{} takes no such cell", column.name));
    perfil.expect("cells that the fields take")
}

pub fn calificacion(lead: LeadId, calificacion: Calificacion, at: Timestamp) -> UpsertCalificacion {
    UpsertCalificacion { lead, calificacion, at, idempotency: None }
}

/// A contact attempt with only the required fields.
pub fn intento(lead: LeadId, numero_intento: i64, at: Timestamp) -> RecordIntento {
    let intento = Intento {
        channel: Channel::Call,
        numero_intento,
        result: None,
        completed: false,
        duracion_seg: None,
        notas: None,
        metadata: None,
    };
    RecordIntento { id: IntentoId(Uuid::new_v4()), lead, intento, at, idempotency: None }
}

/// An ingestion of these photos.
pub fn ingesta(lead: LeadId, fotos: Vec<NewFoto>, at: Timestamp) -> Ingest {
    Ingest {
        lead,
        fotos,
        notas: Vec::new(),
        events: Vec::new(),
        jobs: Vec::new(),
        finalizar: false,
        deadlines: Deadlines::default(),
        swept: Vec::new(),
        at,
        idempotency: None,
    }
}

/// A photo at an address, without zone or number.
pub fn foto() -> NewFoto {
    let id = Uuid::new_v4();
    NewFoto {
        id: FotoId(id),
        image: StoredImage::Url(format!("https://ejemplo.es/{id}.jpg")),
        zona: None,
        momento: Momento::Before,
        orden: None,
    }
}

pub fn foto_n(orden: f64) -> NewFoto {
    NewFoto { orden: Some(orden), ..foto() }
}

/// A photo whose bytes are this blob.
pub fn foto_of(bytes: Digest) -> NewFoto {
    let image = StoredImage::Canonical { prefix: "data:image/png;base64,".into(), bytes };
    NewFoto { image, ..foto() }
}

pub fn nota(text: &str, zona: Option<Zona>) -> NewNota {
    NewNota { id: NotaId(Uuid::new_v4()), text: text.to_owned(), zona }
}

pub fn event(kind: EventKind, creado_en: Timestamp) -> Event {
    Event { kind, simulated: true, ok: false, detail: None, creado_en }
}

pub fn record_event(lead: LeadId, event: Event) -> RecordEvent {
    let at = event.creado_en;
    RecordEvent { lead, event: Some(event), jobs: Vec::new(), at, idempotency: None }
}

/// The event as which a new value of `estado_wa` or `bot_step` is read.
pub fn change(kind: EventKind, value: &str, creado_en: Timestamp) -> Event {
    Event { kind, simulated: false, ok: true, detail: Some(value.to_owned()), creado_en }
}

/// A key for a call whose body is `body`, made at `at` and good for a hundred seconds, with its final answer.
pub fn key(scope: &str, key: &str, body: u8, at: Timestamp) -> Idempotency {
    Idempotency {
        scope: scope.to_owned(),
        key: key.to_owned(),
        cuerpo_sha256: [body; 32],
        outcome: outcome(key),
        jobs: Vec::new(),
        creada_en: at,
        expira_en: micros(at.as_microsecond() + 100_000_000),
    }
}

/// An outcome that is different for each `of`.
pub fn outcome(of: &str) -> Outcome {
    Outcome::PerfilUpdated { updated: vec![of.to_owned().into()] }
}
