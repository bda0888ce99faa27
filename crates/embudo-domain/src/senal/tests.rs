//! The exact JSON of each signal as it is kept.

use jiff::Timestamp;
use uuid::Uuid;

use super::*;
use crate::empresa::Empresa;
use crate::ficha::{ImagenGuardada, Nota};
use crate::perfil::Perfil;
use crate::{FotoId, NotaId};

fn lead(perfil: Perfil) -> Lead {
    let empresa = Empresa {
        id: EmpresaId(Uuid::from_u128(2)),
        nombre: "Reformas Peña".into(),
        slug: "reformas-pena".into(),
        por_defecto: true,
        email_avisos: None,
        avisos: true,
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
        utm: Vec::new(),
        creado_en: Timestamp::UNIX_EPOCH,
        actualizado_en: Timestamp::UNIX_EPOCH,
        bucle: None,
    }
}

fn ficha(perfil: Perfil) -> Ficha {
    Ficha {
        lead: lead(perfil),
        duplicados: Vec::new(),
        fotos: Vec::new(),
        notas: Vec::new(),
        conversacion: Vec::new(),
        calificacion: None,
        intentos: Vec::new(),
        eventos: Vec::new(),
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
        imagen: ImagenGuardada::Url("https://ejemplo.es/a.jpg".into()),
        creada_en: Timestamp::UNIX_EPOCH,
    }
}

fn nota(texto: &str, zona: Option<Zona>) -> Nota {
    Nota { id: NotaId(Uuid::nil()), texto: texto.into(), zona, creada_en: Timestamp::UNIX_EPOCH }
}

fn texto<T: Serialize>(senal: &T) -> String {
    serde_json::to_string(senal).expect("a signal is JSON")
}

#[test]
fn a_profile_without_anything_says_null_and_no_zone() {
    let senal = PerfilSenal::from(&ficha(Perfil::default()));
    assert_eq!(
        texto(&senal),
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
    let mut ficha = ficha(perfil);
    ficha.fotos = vec![
        foto(13, Zona::Otro, Momento::Antes, 3.0),
        foto(12, Zona::Cocina, Momento::Antes, 2.5),
        foto(11, Zona::Cocina, Momento::Antes, -1.0),
        foto(14, Zona::Cocina, Momento::Despues, 4.0),
        foto(15, Zona::Cocina, Momento::Antes, 2.5),
    ];
    ficha.notas = vec![nota("sin zona", None), nota("azulejo", Some(Zona::Bano))];
    let senal = PerfilSenal::from(&ficha);
    let json = texto(&senal);
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
    assert_eq!(serde_json::from_str::<PerfilSenal>(&json).expect("it comes back"), senal);
    let orden: Vec<u128> = senal.fotos().map(|f| f.0.as_u128()).collect();
    assert_eq!(orden, [11, 12, 15, 14, 13]);
}

#[test]
fn a_note_without_a_zone_stands_under_otro_where_no_type_is_known() {
    let mut ficha = ficha(Perfil::default());
    ficha.notas = vec![nota("suelta", None)];
    let senal = PerfilSenal::from(&ficha);
    assert_eq!(senal.zonas.len(), 1);
    assert_eq!(senal.zonas[0].zona, Zona::Otro);
}

#[test]
fn a_fraction_of_a_metre_survives() {
    let perfil = Perfil { m2_suelo: Some(5.25), ..Perfil::default() };
    let json = texto(&PerfilSenal::from(&ficha(perfil)));
    assert!(json.contains(r#""m2Suelo":5.25"#), "{json}");
}

#[test]
fn the_two_messaging_signals() {
    let lead = lead(Perfil::default());
    let comunes = r#""leadId":"00000000-0000-0000-0000-000000000001","telefono":"+34612345678","nombre":"Ana \"la jefa\" García","empresa":"Reformas Peña""#;
    let inicio = MensajeriaSenal::from(&lead);
    assert_eq!(texto(&inicio), format!("{{{comunes}}}"));
    assert_eq!(serde_json::from_str::<MensajeriaSenal>(&texto(&inicio)).expect("it comes back"), inicio);
    let pdf = PdfSenal::new(&lead, "presupuesto-7.pdf".into());
    assert_eq!(texto(&pdf), format!(r#"{{{comunes},"filename":"presupuesto-7.pdf"}}"#));
    assert_eq!(serde_json::from_str::<PdfSenal>(&texto(&pdf)).expect("it comes back"), pdf);
}

#[test]
fn a_row_that_was_tampered_with_is_refused() {
    let json = texto(&MensajeriaSenal::from(&lead(Perfil::default())));
    let malo = json.replace("00000000-0000", "zzzzzzzz-0000");
    assert!(serde_json::from_str::<MensajeriaSenal>(&malo).is_err());
}
