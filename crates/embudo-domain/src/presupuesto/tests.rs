//! Numbers, states, validity, and when two quotes are the same.

use std::sync::LazyLock;

use jiff::civil::date;

use super::*;
use crate::brand::Brand;
use crate::brand::VALID_DAYS;
use crate::empresa::Empresa;
use crate::iva::{Condiciones, Impuestos};
use crate::lead::Lead;
use crate::money::Cents;
use crate::nota::Nota;
use crate::perfil::{Calidad, Perfil};
use crate::tarifa::Tarifa;
use crate::{NotaId, Zona};

pub(crate) static TARIFA: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
static IMPUESTOS: LazyLock<Impuestos> = LazyLock::new(Impuestos::por_defecto);
static BRAND: LazyLock<Brand> = LazyLock::new(Brand::default);

/// The company's side with the shipped data, without legal texts.
pub(crate) fn base() -> Base<'static> {
    Base {
        brand: &BRAND,
        logo: None,
        tarifa: &TARIFA,
        impuestos: &IMPUESTOS,
        condiciones: Condiciones::default(),
        legal: None,
        day: date(2026, 11, 14),
        bounds: Bounds::default(),
    }
}

#[test]
fn numbers_are_written_in_one_way() {
    let one = PresupuestoNumber::next(None, 2026).expect("the first");
    assert_eq!(
        (one.to_string().as_str(), one.file_name().as_str()),
        ("2026-0001", "presupuesto-2026-0001.pdf")
    );
    let two = PresupuestoNumber::next(Some(one), 2026).expect("the second");
    assert_eq!(two.to_string(), "2026-0002");
    assert_eq!(PresupuestoNumber::next(Some(two), 2027), PresupuestoNumber::new(2027, 1));
    let many = PresupuestoNumber::new(2026, 10_000).expect("possible");
    assert_eq!(many.to_string(), "2026-10000");
    for n in [one, two, many] {
        assert_eq!(PresupuestoNumber::parse(&n.to_string()), Some(n));
        let json = serde_json::to_string(&n).expect("JSON");
        assert_eq!(serde_json::from_str::<PresupuestoNumber>(&json).expect("the same"), n);
    }
    assert!(one < two && two < many);
    for wrong in
        ["", "2026", "2026-1", "2026-0000", "026-0001", "2026-00001", "2026-+001", "2026-0001.pdf", "-1-0001"]
    {
        assert_eq!(PresupuestoNumber::parse(wrong), None, "{wrong}");
    }
    assert_eq!(PresupuestoNumber::next(PresupuestoNumber::new(2026, u32::MAX), 2026), None);
}

#[test]
fn states_move_forward_only() {
    let all: Vec<PresupuestoState> =
        PresupuestoState::WORDS.iter().filter_map(|p| PresupuestoState::parse(p)).collect();
    let allowed: Vec<String> = all
        .iter()
        .flat_map(|a| all.iter().filter(|b| a.can_become(**b)).map(move |b| format!("{a}>{b}")))
        .collect();
    assert_eq!(
        allowed,
        [
            "borrador>emitido",
            "borrador>sustituido",
            "emitido>aceptado",
            "emitido>rechazado",
            "emitido>sustituido",
            "rechazado>aceptado",
            "rechazado>sustituido",
        ]
    );
    for e in all.iter().filter(|e| e.is_final()) {
        assert!(all.iter().all(|b| !e.can_become(*b)));
    }
}

#[test]
fn a_quote_holds_until_the_last_day() {
    let v = Validity::new(date(2026, 12, 15), VALID_DAYS);
    assert_eq!(v.until, date(2027, 1, 14));
    assert!(v.holds(v.until) && !v.holds(date(2027, 1, 15)));
    assert_eq!(Validity::new(Date::MAX, 30).until, Date::MAX);
}

#[test]
fn equal_content_has_an_equal_mark() {
    let (lead, notas) = (lead(), [nota(Some(Zona::Bano), "Sin bidé")]);
    let base = base();
    let one = Document::compose(&lead, &notas, &[], base);
    assert_eq!(one.digest(), Document::compose(&lead, &notas, &[], base).digest());
    // On another day with the same rule in force, the content is the same.
    let other_day = Base { day: date(2026, 12, 1), ..base };
    assert_eq!(one.digest(), Document::compose(&lead, &notas, &[], other_day).digest());

    let deadline = Brand { valid_days: 15, ..Brand::default() };
    let others = [
        Document::compose(&lead, &[nota(None, "Sin bidé")], &[], base),
        Document::compose(&lead, &notas, &[], Base { brand: &deadline, ..base }),
        Document::compose(&lead, &notas, &[], Base { logo: Some(Digest::of(b"logo")), ..base }),
        Document::compose(&Lead { nombre: "Ana Ruiz".into(), ..lead.clone() }, &notas, &[], base),
    ];
    for other in others {
        assert_ne!(other.digest(), one.digest());
    }
    let json = serde_json::to_string(&one).expect("writes");
    assert_eq!(serde_json::from_str::<Document>(&json).expect("reads"), one);
}

/// A quote as the version before options and rooms stored it; the test does not depend on today's prices.
#[test]
fn a_quote_that_nobody_edited_keeps_its_mark() {
    let document: Document = serde_json::from_str(include_str!("tests/sealed.json")).expect("reads");
    assert_eq!(
        document.digest().to_string(),
        "c5e505f50d0b3e3ff0db1b39eefd7104a82ecd217562db35edc7f4d7a96ee885"
    );
}

#[test]
fn a_quote_is_a_promise_once_nothing_that_decides_it_is_supposed() {
    let known = Perfil {
        tipo_reforma: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad_global: Some(Calidad::Media),
        ..Perfil::default()
    };
    let of = |perfil: Perfil, provincia: Option<&str>| {
        let lead = Lead { perfil, provincia: provincia.map(str::to_owned), ..lead() };
        Document::compose(&lead, &[], &[], base())
    };
    let whole = of(known.clone(), Some("Madrid"));
    // Nothing is known of the tax, of structural work or of urgency: this does not prevent a binding quote.
    assert!(whole.impuesto.pending_declaration && !whole.pricing.assumptions.is_empty());
    assert_eq!(whole.character(), Character::Binding);
    for orientative in [
        of(known.clone(), None),
        of(known.clone(), Some("Atlántida")),
        of(Perfil { m2_suelo: None, ..known.clone() }, Some("Madrid")),
        of(Perfil { m2_suelo: Some(4_000.0), ..known.clone() }, Some("Madrid")),
        of(Perfil { calidad_global: None, ..known.clone() }, Some("Madrid")),
        of(Perfil { tipo_reforma: None, ..known }, Some("Madrid")),
    ] {
        assert_eq!(orientative.character(), Character::Orientative);
        let sent = Document { decided: Some(Character::Binding), ..orientative };
        assert_eq!(sent.character(), Character::Binding);
    }
}

#[test]
fn the_priced_zone_comes_first_and_empty_zones_are_left_out() {
    let lead = Lead { perfil: Perfil { tipo_reforma: Some(Zona::Salon), ..Perfil::default() }, ..lead() };
    let base = base();
    let notas = [nota(Some(Zona::Cocina), "Isla"), nota(None, "Luz cálida")];
    let document = Document::compose(&lead, &notas, &[], base);
    assert_eq!(document.zonas(), [Zona::Salon, Zona::Cocina]);
    assert_eq!(document.notas[1].zona, Zona::Salon);
}

#[test]
fn wishes_are_printed_and_notes_from_the_api_where_the_company_wants_them() {
    let perfil = Perfil { taste_text: Some("Madera clara".into()), ..Perfil::default() };
    let lead = Lead { perfil, ..lead() };
    let notas = [
        Nota { id: NotaId::of_form(lead.id, Zona::Bano), ..nota(Some(Zona::Bano), "Sin bidé") },
        nota(Some(Zona::Cocina), "Cliente indeciso"),
    ];
    let printed = |lead: &Lead, notas_api| {
        let brand = Brand { notas_api, ..Brand::default() };
        let notas = Document::compose(lead, &notas, &[], Base { brand: &brand, ..base() }).notas;
        notas.into_iter().map(|n| (n.zona, n.text)).collect::<Vec<_>>()
    };
    let tastes = (Zona::Other, "Madera clara".to_owned());
    let own = (Zona::Bano, "Sin bidé".to_owned());
    let foreign = (Zona::Cocina, "Cliente indeciso".to_owned());
    assert!(Brand::default().notas_api);
    assert_eq!(printed(&lead, true), [tastes.clone(), own.clone(), foreign]);
    assert_eq!(printed(&lead, false), [tastes, own.clone()]);
    let without_tastes =
        Lead { perfil: Perfil { taste_text: Some(" \n".into()), ..Perfil::default() }, ..lead };
    assert_eq!(printed(&without_tastes, false), [own]);
}

pub(crate) fn nota(zona: Option<Zona>, text: &str) -> Nota {
    Nota { id: NotaId(uuid::Uuid::nil()), text: text.into(), zona, creada_en: Timestamp::UNIX_EPOCH }
}

pub(crate) fn lead() -> Lead {
    let empresa = Empresa {
        id: EmpresaId(uuid::Uuid::nil()),
        nombre: "Reformas Peña".into(),
        slug: "reformas-pena".into(),
        por_defecto: true,
        email_avisos: None,
        notices: true,
        topics: crate::notice::Topics::ALL,
        personal_topics: crate::notice::Topics::NONE,
    };
    Lead {
        id: LeadId(uuid::Uuid::nil()),
        empresa,
        nombre: "Ana García".into(),
        telefono: "612 34 56 78".into(),
        telefono_e164: "+34612345678".into(),
        email: "ana@ejemplo.es".into(),
        provincia: None,
        perfil: Perfil::default(),
        obra: Default::default(),
        utm: Vec::new(),
        creado_en: Timestamp::UNIX_EPOCH,
        actualizado_en: Timestamp::UNIX_EPOCH,
        watched_loop: None,
    }
}

#[test]
fn a_total_is_compared_with_what_the_client_wants_to_spend() {
    let target = Cents::euros(6_000);
    assert_eq!(Fit::of(Cents::euros(6_000), target), Fit::Inside);
    assert_eq!(Fit::of(Cents::euros(6_600), target), Fit::Near);
    assert_eq!(Fit::of(Cents(660_001), target), Fit::Above);
    assert_eq!(Fit::of(Cents(i64::MAX), Cents(i64::MAX)), Fit::Inside);
}
