//! Renders the page from a document, without a server.

use askama::Template as _;
use embudo_domain::brand::Brand;
use embudo_domain::decimal::Percentage;
use embudo_domain::empresa::Empresa;
use embudo_domain::ingesta::Momento;
use embudo_domain::iva::{Condiciones, Impuestos};
use embudo_domain::legal::{LegalKey, LegalText};
use embudo_domain::notice::Topics;
use embudo_domain::perfil::Calidad;
use embudo_domain::presupuesto::{
    Character, Cliente, Document, Issuer, Payment, Presupuesto, PresupuestoNumber, PresupuestoState,
    PrintedFoto, PrintedNota, PrintedOption, SignedAnswer, StoredPdf, Terms, Validity, VisitRequest,
};
use embudo_domain::pricing::{Line, PricingInput, price};
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{Digest, EmpresaId, FotoId, LeadId, PresupuestoId, Timestamp, Zona};
use jiff::civil::{Date, date};
use uuid::Uuid;

use super::pictures::Album;
use super::standing::Standing;
use super::view::{FormPost, QuotePage};
use crate::parts::Storefront;

const TODAY: Date = date(2026, 11, 15);
const BAD: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";

fn document(text: &str) -> Document {
    let data = PricingInput {
        kind: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad: Some(Calidad::Media),
        provincia: Some("Madrid".into()),
        ..PricingInput::default()
    };
    let pricing = price(&data, &Tarifa::por_defecto());
    let impuesto = Impuestos::por_defecto().apply(&pricing, Condiciones::default(), TODAY);
    let option = PrintedOption {
        id: "o1".into(),
        zona: Zona::Bano,
        room: Some(text.into()),
        capitulo: text.into(),
        line: Line {
            concepto: text.into(),
            detail: Some(text.into()),
            ..pricing.capitulos[0].lines[0].clone()
        },
    };
    let legal = LegalText {
        key: LegalKey::EarlyStart,
        title: text.into(),
        paragraphs: vec![text.into()],
        version: "2026.1".into(),
        with_amounts: None,
    };
    let some = || Some(text.to_owned());
    let payment = |percentage| Payment { percentage: Percentage(percentage), moment: text.into() };
    let terms = Terms {
        intro: some(),
        extra: some(),
        site: some(),
        nif: some(),
        address: some(),
        start: Some(TODAY),
        duration: some(),
        payments: vec![payment(4_000), payment(6_000)],
    };
    let foto = |n: u128, momento| PrintedFoto { id: FotoId(Uuid::from_u128(n)), zona: Zona::Bano, momento };
    Document {
        cliente: Cliente {
            nombre: text.into(),
            telefono: "+34612345678".into(),
            email: text.into(),
            provincia: Some(text.into()),
        },
        empresa: Issuer {
            nombre: text.into(),
            razon_social: None,
            nif: None,
            address: None,
            telefono: Some("91 123 45 67".into()),
            email: Some("hola@ejemplo.es".into()),
            web: None,
            color: Brand::default().color,
            logo: None,
        },
        pricing,
        impuesto,
        valid_days: 30,
        notas: vec![PrintedNota { zona: Zona::Bano, text: text.into() }],
        fotos: vec![foto(1, Momento::Before), foto(2, Momento::After)],
        condiciones: vec![text.into()],
        rooms: Vec::new(),
        options: vec![option],
        discount: None,
        terms,
        decided: None,
        legal: vec![legal],
    }
}

fn presupuesto(document: Document, state: PresupuestoState) -> Presupuesto {
    let nobody = Uuid::nil();
    let pdf = StoredPdf { digest: Digest::of(b"%PDF"), sha256: [0xab; 32], bytes: 4 };
    let answered = matches!(state, PresupuestoState::Aceptado | PresupuestoState::Rechazado);
    let reason = document.notas[0].text.clone();
    let answer = answered.then(|| SignedAnswer {
        accepted: state == PresupuestoState::Aceptado,
        reason: (state == PresupuestoState::Rechazado).then_some(reason),
        ip: None,
        texto_version: "2026-11".into(),
        declaracion: Some("iva_reducido 2026.1".into()),
        options: document.choose(&["o1"]).expect("its own"),
        total: Some(document.with_options(&["o1"]).total),
        early_start: Some("2026.1".into()),
        by_phone: None,
        pdf_sha256: pdf.sha256,
        at: Timestamp::UNIX_EPOCH,
    });
    Presupuesto {
        id: PresupuestoId(nobody),
        lead: LeadId(nobody),
        empresa: EmpresaId(nobody),
        number: PresupuestoNumber::new(2026, 1).expect("a number"),
        version: 1,
        state,
        content: document.digest(),
        document,
        validity: Validity::new(TODAY, 30),
        pdf: (state != PresupuestoState::Preparing).then_some(pdf),
        accepted_pdf: None,
        creado_en: Timestamp::UNIX_EPOCH,
        emitido_en: None,
        answer,
        visit: None,
    }
}

fn render(text: &str, state: PresupuestoState, today: Date) -> String {
    page(&presupuesto(document(text), state), today, FormPost::default())
}

fn page(p: &Presupuesto, today: Date, sending: FormPost) -> String {
    let (text, state) = (p.document.cliente.nombre.clone(), p.state);
    let empresa = Empresa {
        id: EmpresaId(Uuid::nil()),
        nombre: text,
        slug: "reformas".into(),
        por_defecto: true,
        email_avisos: None,
        notices: true,
        topics: Topics::ALL,
        personal_topics: Topics::NONE,
    };
    let storefront = Storefront { empresa, brand: Brand::default(), logo: None };
    let replacement = (state == PresupuestoState::Superseded).then(|| ("2026-0002".into(), "/p/otro".into()));
    let album = Album::new("/p/pase", Vec::new(), false);
    let standing = Standing::of(p, today, replacement, None);
    QuotePage::new(storefront, "/p/pase".into(), p, &album, standing, sending).render().expect("it renders")
}

const STATES: [PresupuestoState; 5] = [
    PresupuestoState::Preparing,
    PresupuestoState::Emitido,
    PresupuestoState::Aceptado,
    PresupuestoState::Rechazado,
    PresupuestoState::Superseded,
];

#[test]
fn hostile_texts_stay_texts_and_nothing_is_inline() {
    for state in STATES {
        let html = render(BAD, state, TODAY).to_lowercase();
        assert!(!html.contains("<script>") && !html.contains("<img src=x"), "{state}");
        assert!(!html.contains("<style") && !html.contains(" style="), "{state}");
        for handler in [" onclick=", " onerror=", " onload=", "javascript:"] {
            assert!(!html.replace("src=x onerror=", "").contains(handler), "{state}: {handler}");
        }
        assert_eq!(html.matches("<script").count(), 1, "only the module of ours");
    }
}

#[test]
fn every_state_offers_what_it_allows() {
    let offers = |state, today| {
        let html = render("Ana", state, today);
        (
            html.contains("/aceptar\""),
            html.contains("/rechazar\""),
            html.contains("Pedir un presupuesto nuevo"),
        )
    };
    let late = date(2027, 1, 1);
    assert_eq!(offers(PresupuestoState::Preparing, TODAY), (false, false, false));
    assert_eq!(offers(PresupuestoState::Emitido, TODAY), (true, true, false));
    assert_eq!(offers(PresupuestoState::Emitido, late), (false, false, true));
    assert_eq!(offers(PresupuestoState::Rechazado, TODAY), (true, false, false));
    assert_eq!(offers(PresupuestoState::Aceptado, late), (false, false, false));
    assert_eq!(offers(PresupuestoState::Superseded, TODAY), (false, false, false));
    assert!(render("Ana", PresupuestoState::Superseded, TODAY).contains("href=\"/p/otro\""));
}

#[test]
fn what_is_ticked_follows_everywhere() {
    let p = presupuesto(document("Ana"), PresupuestoState::Emitido);
    let (plain, more) = (p.document.impuesto.total, p.document.with_options(&["o1"]).total);
    let html = page(&p, TODAY, FormPost::default());
    assert!(
        html.contains(&format!("name=\"total\" value=\"{}\"", plain.0)) && !html.contains(&more.to_string())
    );
    let options = vec!["o1".to_owned(), "otra".to_owned()];
    let html = page(&p, TODAY, FormPost { options, ..FormPost::default() });
    assert!(
        html.contains(&format!("name=\"total\" value=\"{}\"", more.0))
            && html.contains("value=\"o1\" checked")
    );
    assert!(!html.contains(&plain.to_string()), "no place shows the other total");
    // The accepted options stay selected, whatever the address contains.
    let accepted =
        page(&presupuesto(document("Ana"), PresupuestoState::Aceptado), TODAY, FormPost::default());
    assert!(accepted.contains(&more.to_string()) && accepted.contains("Elegida"));
    assert!(!accepted.contains("name=\"opcion\""), "nothing is left to tick");
    assert!(accepted.contains("Hecha al aceptar") && accepted.contains("Lo pediste al aceptar"));
}

#[test]
fn an_orientative_quote_offers_a_visit_once() {
    let orientative = Document { decided: Some(Character::Orientative), ..document("Ana") };
    let p = presupuesto(orientative, PresupuestoState::Emitido);
    let offers = |p: &Presupuesto, day| {
        let html = page(p, day, FormPost::default());
        let has = |words: &str| html.contains(words);
        assert!(!has("/aceptar\"") && !has("name=\"opcion\"") && has("orientativo"));
        (has("/visita\""), has("/rechazar\""), has("Visita pedida"))
    };
    assert_eq!(offers(&p, TODAY), (true, true, false));
    assert_eq!(offers(&p, date(2027, 1, 1)), (false, false, false));
    let asked = VisitRequest { at: Timestamp::UNIX_EPOCH, note: Some(BAD.into()) };
    let asked = Presupuesto { visit: Some(asked), ..p };
    assert_eq!(offers(&asked, TODAY), (false, true, true));
    assert!(!page(&asked, TODAY, FormPost::default()).contains(BAD));
}

#[test]
fn generated_pictures_are_labelled() {
    let html = render("Ana", PresupuestoState::Emitido, TODAY);
    assert_eq!(html.matches("Imagen generada por IA").count(), 1);
    assert!(html.contains("/p/pase/fotos/00000000-0000-0000-0000-000000000002"));
}
