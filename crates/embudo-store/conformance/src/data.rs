//! Commands ready to be sent: fixed times, fresh ids, plausible people.
//!
//! Nothing here looks at a clock, so that a case that fails today fails tomorrow. Ids are random, because no case may
//! depend on their order unless it makes them itself.

pub mod outbox;
pub mod presupuesto;
mod random;

use std::sync::Arc;

use embudo_domain::bucle::Plazos;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::columns::{Cell, CellType, Column};
use embudo_domain::contacto::{Email, Telefono};
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::empresa::Empresa;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{Ficha, ImagenGuardada};
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Canal, Intento};
use embudo_domain::perfil::Perfil;
use embudo_domain::{EmpresaId, FotoId, Huella, IntentoId, LeadId, NotaId, Timestamp, Tipo, TurnoId, Zona};
use uuid::Uuid;

use embudo_store::cola::FiltroTrabajos;
use embudo_store::command::{
    AppendTurno, CreateLead, FotoNueva, Ingest, NotaNueva, RecordEvento, RecordIntento, UpdatePerfil,
    UpsertCalificacion,
};
use embudo_store::query::texto_busqueda;
use embudo_store::{Hecho, Idempotencia, Outcome, Store};
pub use random::{Azar, texto_largo};

/// The largest integer that JSON numbers keep exactly.
pub const MAX_ENTERO: i64 = (1 << 53) - 1;

/// Text that breaks naive storage: accents, emoji joined by zero-width characters, quotes, a backslash, line ends,
/// right-to-left letters, and a character outside the basic plane.
pub const TEXTO_RARO: &str =
    "Ñandú «ü» 👩🏽‍🔧🏳️‍🌈 'x' \"y\" \\n \\x00 %s $1 ?1 \r\n\t\u{1}\u{7f}\u{feff}\u{202e}שלום \u{10ffff} e\u{301}";

/// An instant `segundos` after a fixed one, with a microsecond part.
pub fn t(segundos: i64) -> Timestamp {
    micros(1_794_652_200_123_456 + segundos * 1_000_000)
}

/// The instant so many microseconds after 1970.
pub fn micros(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).expect("the suite's instants are in range")
}

/// Instants at the edges of what the API accepts.
pub fn instantes_extremos() -> Vec<Timestamp> {
    [
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00.000001Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
    ]
    .iter()
    .chain(&["1999-12-31T23:59:59.999999Z", "2026-11-14T10:30:00.123456Z", "9999-12-30T21:59:59.999999Z"])
    .map(|texto| texto.parse().expect("an instant"))
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
        avisos: true,
    }
}

/// A telephone: as typed, and in its normal form.
pub fn telefono(cifras: &str) -> Telefono {
    Telefono { tecleado: format!("{cifras} "), e164: format!("+34{cifras}") }
}

/// An e-mail: as typed, and in its normal form.
pub fn email(tecleado: &str) -> Email {
    Email { tecleado: tecleado.to_owned(), normal: tecleado.to_lowercase() }
}

/// A lead of the default company with a telephone and an e-mail that no other lead has.
pub fn nuevo_lead(nombre: &str) -> CreateLead {
    let id = Uuid::new_v4();
    let cifras = format!("{:09}", id.as_u128() % 1_000_000_000);
    con_contacto(LeadId(id), nombre, &cifras, &format!("{}@Ejemplo.es", id.simple()))
}

/// A lead of the default company with this contact data.
pub fn con_contacto(id: LeadId, nombre: &str, cifras: &str, correo: &str) -> CreateLead {
    let (telefono, email) = (telefono(cifras), email(correo));
    CreateLead {
        id,
        empresa: None,
        nombre: nombre.to_owned(),
        busqueda: texto_busqueda(nombre, &email.tecleado, &telefono.e164, None),
        telefono,
        email,
        provincia: None,
        perfil: Perfil::default(),
        utm: Vec::new(),
        consentimientos: Vec::new(),
        trabajos: Vec::new(),
        en: t(0),
        idempotencia: None,
    }
}

/// A default company and a lead in it.
pub async fn un_lead(store: &Arc<dyn Store>) -> LeadId {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("a default company");
    otro_lead(store).await
}

/// One more lead of the default company.
pub async fn otro_lead(store: &Arc<dyn Store>) -> LeadId {
    crear(store, nuevo_lead("Ana García")).await
}

/// Creates this lead.
pub async fn crear(store: &Arc<dyn Store>, command: CreateLead) -> LeadId {
    let id = command.id;
    assert_eq!(store.create_lead(command).await.expect("the lead is created"), Hecho::Ahora);
    id
}

/// An id that no lead has.
pub fn nadie() -> LeadId {
    LeadId(Uuid::new_v4())
}

/// The record of a lead that exists.
pub async fn ficha(store: &Arc<dyn Store>, lead: LeadId) -> Ficha {
    store.ficha(lead).await.expect("the lead exists")
}

/// Gives an id that was written to in vain to a new lead, which must have nothing but what it was created with.
pub async fn sin_rastro(store: &Arc<dyn Store>, lead: LeadId) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("a default company");
    let mut nuevo = nuevo_lead("Recién llegada");
    nuevo.id = lead;
    crear(store, nuevo).await;
    let f = ficha(store, lead).await;
    assert_eq!(f.lead.perfil, Perfil::default());
    assert_eq!((f.lead.actualizado_en, f.lead.bucle), (t(0), None));
    assert_eq!((f.fotos, f.notas, f.conversacion), (vec![], vec![], vec![]));
    assert_eq!((f.calificacion, f.intentos, f.eventos), (None, vec![], vec![]));
    assert_eq!(store.historial(lead).await.expect("the lead exists"), vec![]);
    let suyos = FiltroTrabajos { lead: Some(lead), ..Default::default() };
    assert_eq!(store.list_trabajos(suyos, None, 10).await.expect("a list"), vec![]);
}

/// A turn that says this and changes nothing on the lead.
pub fn turno(lead: LeadId, mensaje: &str, en: Timestamp) -> AppendTurno {
    let turno = Turno {
        rol: Rol::User,
        mensaje: mensaje.to_owned(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    AppendTurno { id: TurnoId(Uuid::new_v4()), lead, turno, en, idempotencia: None }
}

/// A partial update.
pub fn perfil(lead: LeadId, perfil: Perfil, en: Timestamp) -> UpdatePerfil {
    UpdatePerfil { lead, perfil, en, idempotencia: None }
}

/// A profile in which every field is known.
pub fn perfil_completo() -> Perfil {
    perfil_lleno(1)
}

/// A profile in which every field is known; two of even and odd `n` differ in each.
pub fn perfil_lleno(n: usize) -> Perfil {
    let texts = Perfil::COLUMNS.map(|column| format!("{} 🪵 {n}", column.name));
    let mut texts = texts.iter();
    perfil_from(|column| {
        let text = texts.next().expect("one for each column");
        Some(match (column.tipo, column.holds) {
            (Tipo::Uno(words), _) => Cell::Text(words[n % words.len()]),
            (_, CellType::Text) => Cell::Text(text),
            (_, CellType::Boolean) => Cell::Boolean(n.is_multiple_of(2)),
            (_, CellType::Number) => Cell::Number([5.55, 80.0][n % 2]),
            (_, CellType::Integer) => Cell::Integer([650_001, 0][n % 2]),
            (_, CellType::Instant) => Cell::Instant([t(-86_400), t(99)][n % 2]),
        })
    })
}

/// A profile of these cells.
pub fn perfil_from<'a>(mut cell: impl FnMut(&'static Column) -> Option<Cell<'a>>) -> Perfil {
    let perfil =
        Perfil::from_cells(|column| Ok(cell(column)), |column| format!("{} takes no such cell", column.name));
    perfil.expect("cells that the fields take")
}

/// A qualification.
pub fn calificacion(lead: LeadId, calificacion: Calificacion, en: Timestamp) -> UpsertCalificacion {
    UpsertCalificacion { lead, calificacion, en, idempotencia: None }
}

/// A contact attempt with nothing but what is required.
pub fn intento(lead: LeadId, numero_intento: i64, en: Timestamp) -> RecordIntento {
    let intento = Intento {
        canal: Canal::Llamada,
        numero_intento,
        resultado: None,
        completado: false,
        duracion_seg: None,
        notas: None,
        metadata: None,
    };
    RecordIntento { id: IntentoId(Uuid::new_v4()), lead, intento, en, idempotencia: None }
}

/// An ingestion of these photos.
pub fn ingesta(lead: LeadId, fotos: Vec<FotoNueva>, en: Timestamp) -> Ingest {
    Ingest {
        lead,
        fotos,
        notas: Vec::new(),
        eventos: Vec::new(),
        trabajos: Vec::new(),
        finalizar: false,
        plazos: Plazos::default(),
        barridos: Vec::new(),
        en,
        idempotencia: None,
    }
}

/// A photo at an address, without zone or number.
pub fn foto() -> FotoNueva {
    let id = Uuid::new_v4();
    FotoNueva {
        id: FotoId(id),
        imagen: ImagenGuardada::Url(format!("https://ejemplo.es/{id}.jpg")),
        zona: None,
        momento: Momento::Antes,
        orden: None,
    }
}

/// A photo with this number.
pub fn foto_n(orden: f64) -> FotoNueva {
    FotoNueva { orden: Some(orden), ..foto() }
}

/// A photo whose bytes are this blob.
pub fn foto_de(bytes: Huella) -> FotoNueva {
    let imagen = ImagenGuardada::Canonica { prefijo: "data:image/png;base64,".into(), bytes };
    FotoNueva { imagen, ..foto() }
}

/// A note.
pub fn nota(texto: &str, zona: Option<Zona>) -> NotaNueva {
    NotaNueva { id: NotaId(Uuid::new_v4()), texto: texto.to_owned(), zona }
}

/// An event.
pub fn evento(tipo: TipoEvento, creado_en: Timestamp) -> Evento {
    Evento { tipo, simulado: true, ok: false, detalle: None, creado_en }
}

/// An event on its own.
pub fn record_evento(lead: LeadId, evento: Evento) -> RecordEvento {
    let en = evento.creado_en;
    RecordEvento { lead, evento: Some(evento), trabajos: Vec::new(), en, idempotencia: None }
}

/// The event that a new value of `estado_wa` or `bot_step` reads as.
pub fn cambio(tipo: TipoEvento, valor: &str, creado_en: Timestamp) -> Evento {
    Evento { tipo, simulado: false, ok: true, detalle: Some(valor.to_owned()), creado_en }
}

/// A key for a call whose body is `cuerpo`, made at `en` and good for a hundred seconds, with its final answer.
pub fn clave(ambito: &str, clave: &str, cuerpo: u8, en: Timestamp) -> Idempotencia {
    Idempotencia {
        ambito: ambito.to_owned(),
        clave: clave.to_owned(),
        cuerpo_sha256: [cuerpo; 32],
        outcome: outcome(clave),
        trabajos: Vec::new(),
        creada_en: en,
        expira_en: micros(en.as_microsecond() + 100_000_000),
    }
}

/// An outcome that can be told from others.
pub fn outcome(of: &str) -> Outcome {
    Outcome::PerfilUpdated { actualizado: vec![of.to_owned().into()] }
}
