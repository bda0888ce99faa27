//! The exact JSON of each signal as it is stored.

use jiff::Timestamp;
use uuid::Uuid;

use super::*;
use crate::empresa::Empresa;
use crate::foto::StoredImage;
use crate::nota::Nota;
use crate::perfil::Perfil;
use crate::{FotoId, NotaId};

fn lead(perfil: Perfil) -> Lead {
    let empresa = Empresa {
        id: EmpresaId(Uuid::from_u128(2)),
        nombre: "Reformas Peña".into(),
        slug: "reformas-pena".into(),
        por_defecto: true,
        email_avisos: None,
        notices: true,
        topics: crate::notice::Topics::ALL,
        personal_topics: crate::notice::Topics::NONE,
    };
    Lead {
        id: LeadId(Uuid::from_u128(1)),
        empresa,
        nombre: "Ana \"la jefa\" García".into(),
        telefono: "612 34 56 78".into(),
        telefono_e164: "+34612345678".into(),
        email: "Ana@ejemplo.es".into(),
        provincia: None,
        perfil,
        obra: Default::default(),
        utm: Vec::new(),
        creado_en: Timestamp::UNIX_EPOCH,
        actualizado_en: Timestamp::UNIX_EPOCH,
        watched_loop: None,
    }
}

fn record(perfil: Perfil) -> LeadRecord {
    LeadRecord {
        lead: lead(perfil),
        duplicates: Vec::new(),
        fotos: Vec::new(),
        notas: Vec::new(),
        conversacion: Vec::new(),
        calificacion: None,
        intentos: Vec::new(),
        events: Vec::new(),
        consentimientos: Vec::new(),
        presupuestos: Vec::new(),
    }
}

fn foto(id: u128, zona: Zona, momento: Momento, orden: f64) -> Foto {
    Foto {
        id: FotoId(Uuid::from_u128(id)),
        zona,
        momento,
        orden,
        image: StoredImage::Url("https://ejemplo.es/a.jpg".into()),
        creada_en: Timestamp::UNIX_EPOCH,
    }
}

fn nota(text: &str, zona: Option<Zona>) -> Nota {
    Nota { id: NotaId(Uuid::nil()), text: text.into(), zona, creada_en: Timestamp::UNIX_EPOCH }
}

fn text<T: Serialize>(signal: &T) -> String {
    serde_json::to_string(signal).expect("a signal is JSON")
}

#[test]
fn a_profile_without_anything_says_null_and_no_zone() {
    let signal = PerfilSignal::from(&record(Perfil::default()));
    assert_eq!(
        text(&signal),
        concat!(
            r#"{"leadId":"00000000-0000-0000-0000-000000000001","#,
            r#""cliente":{"nombre":"Ana \"la jefa\" García","telefono":"+34612345678","email":"Ana@ejemplo.es","provincia":null},"#,
            r#""reforma":{"tipo":null,"m2Suelo":null,"calidad":null,"estructural":null,"urgencia":null,"presupuestoTarget":null},"#,
            r#""empresa":{"tenantId":"00000000-0000-0000-0000-000000000002","nombre":"Reformas Peña"},"zonas":[]}"#,
        )
    );
}

#[test]
fn a_full_profile_stands_in_the_order_of_the_specification_and_comes_back() {
    let perfil = Perfil {
        tipo_reforma: Some(Zona::Bano),
        m2_suelo: Some(20.0),
        calidad_global: Some(Calidad::Media),
        estructural: Some(false),
        urgencia: Some(Urgencia::Alta),
        presupuesto_target_cents: Some(650_000),
        ..Perfil::default()
    };
    let mut record = record(perfil);
    record.fotos = vec![
        foto(13, Zona::Other, Momento::Before, 3.0),
        foto(12, Zona::Cocina, Momento::Before, 2.5),
        foto(11, Zona::Cocina, Momento::Before, -1.0),
        foto(14, Zona::Cocina, Momento::After, 4.0),
        foto(15, Zona::Cocina, Momento::Before, 2.5),
    ];
    record.notas = vec![nota("sin zona", None), nota("azulejo", Some(Zona::Bano))];
    let signal = PerfilSignal::from(&record);
    let json = text(&signal);
    let reforma = r#""reforma":{"tipo":"bano","m2Suelo":20,"calidad":"media","estructural":false,"urgencia":"alta","presupuestoTarget":650000}"#;
    assert!(json.contains(reforma), "{json}");
    let id = |n: u32| format!(r#"{{"fotoId":"00000000-0000-0000-0000-0000000000{n:02x}"}}"#);
    let zonas = format!(
        concat!(
            r#""zonas":[{{"zona":"cocina","notas":[],"fotos":{{"antes":[{},{},{}],"despues":[{}]}}}},"#,
            r#"{{"zona":"bano","notas":["sin zona","azulejo"],"fotos":{{"antes":[],"despues":[]}}}},"#,
            r#"{{"zona":"otro","notas":[],"fotos":{{"antes":[{}],"despues":[]}}}}]}}"#,
        ),
        id(11),
        id(12),
        id(15),
        id(14),
        id(13),
    );
    assert!(json.ends_with(&zonas), "{json}");
    assert_eq!(serde_json::from_str::<PerfilSignal>(&json).expect("it comes back"), signal);
    let orden: Vec<u128> = signal.fotos().map(|f| f.0.as_u128()).collect();
    assert_eq!(orden, [11, 12, 15, 14, 13]);
}

#[test]
fn a_note_without_a_zone_stands_under_other_where_no_type_is_known() {
    let mut record = record(Perfil::default());
    record.notas = vec![nota("suelta", None)];
    let signal = PerfilSignal::from(&record);
    assert_eq!(signal.zonas.len(), 1);
    assert_eq!(signal.zonas[0].zona, Zona::Other);
}

#[test]
fn a_fraction_of_a_metre_survives() {
    let perfil = Perfil { m2_suelo: Some(5.25), ..Perfil::default() };
    let json = text(&PerfilSignal::from(&record(perfil)));
    assert!(json.contains(r#""m2Suelo":5.25"#), "{json}");
}

#[test]
fn the_two_messaging_signals() {
    let lead = lead(Perfil::default());
    let common = r#""leadId":"00000000-0000-0000-0000-000000000001","telefono":"+34612345678","nombre":"Ana \"la jefa\" García","empresa":"Reformas Peña""#;
    let start = MensajeriaSignal::from(&lead);
    assert_eq!(text(&start), format!("{{{common}}}"));
    assert_eq!(serde_json::from_str::<MensajeriaSignal>(&text(&start)).expect("it comes back"), start);
    let pdf = PdfSignal::new(&lead, "presupuesto-7.pdf".into());
    assert_eq!(text(&pdf), format!(r#"{{{common},"filename":"presupuesto-7.pdf"}}"#));
    assert_eq!(serde_json::from_str::<PdfSignal>(&text(&pdf)).expect("it comes back"), pdf);
}

#[test]
fn a_row_that_was_tampered_with_is_refused() {
    let json = text(&MensajeriaSignal::from(&lead(Perfil::default())));
    let bad = json.replace("00000000-0000", "zzzzzzzz-0000");
    assert!(serde_json::from_str::<MensajeriaSignal>(&bad).is_err());
}
