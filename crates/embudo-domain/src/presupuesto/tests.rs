//! Numbers, states, validity, and when two quotes are the same.

use jiff::civil::date;

use super::*;
use crate::dinero::Cents;
use crate::empresa::Empresa;
use crate::ficha::{Lead, Nota};
use crate::iva::Impuestos;
use crate::marca::Marca;
use crate::perfil::Perfil;
use crate::tarifa::Tarifa;
use crate::{NotaId, Zona};

#[test]
fn numbers_are_written_in_one_way() {
    let uno = NumeroPresupuesto::siguiente(None, 2026).expect("the first");
    assert_eq!(
        (uno.to_string().as_str(), uno.nombre_fichero().as_str()),
        ("2026-0001", "presupuesto-2026-0001.pdf")
    );
    let dos = NumeroPresupuesto::siguiente(Some(uno), 2026).expect("the second");
    assert_eq!(dos.to_string(), "2026-0002");
    assert_eq!(NumeroPresupuesto::siguiente(Some(dos), 2027), NumeroPresupuesto::new(2027, 1));
    let muchos = NumeroPresupuesto::new(2026, 10_000).expect("possible");
    assert_eq!(muchos.to_string(), "2026-10000");
    for n in [uno, dos, muchos] {
        assert_eq!(NumeroPresupuesto::parse(&n.to_string()), Some(n));
        let json = serde_json::to_string(&n).expect("JSON");
        assert_eq!(serde_json::from_str::<NumeroPresupuesto>(&json).expect("the same"), n);
    }
    assert!(uno < dos && dos < muchos);
    for mal in
        ["", "2026", "2026-1", "2026-0000", "026-0001", "2026-00001", "2026-+001", "2026-0001.pdf", "-1-0001"]
    {
        assert_eq!(NumeroPresupuesto::parse(mal), None, "{mal}");
    }
    assert_eq!(NumeroPresupuesto::siguiente(NumeroPresupuesto::new(2026, u32::MAX), 2026), None);
}

#[test]
fn states_move_forward_only() {
    let todos: Vec<EstadoPresupuesto> =
        EstadoPresupuesto::PALABRAS.iter().filter_map(|p| EstadoPresupuesto::parse(p)).collect();
    let permitidos: Vec<String> = todos
        .iter()
        .flat_map(|a| todos.iter().filter(|b| a.puede_pasar_a(**b)).map(move |b| format!("{a}>{b}")))
        .collect();
    assert_eq!(
        permitidos,
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
    for e in todos.iter().filter(|e| e.es_final()) {
        assert!(todos.iter().all(|b| !e.puede_pasar_a(*b)));
    }
}

#[test]
fn a_quote_holds_until_the_last_day() {
    let v = Validez::new(date(2026, 12, 15), DIAS_VALIDEZ);
    assert_eq!(v.hasta, date(2027, 1, 14));
    assert!(v.vale(v.hasta) && !v.vale(date(2027, 1, 15)));
    assert_eq!(Validez::new(Date::MAX, 30).hasta, Date::MAX);
}

#[test]
fn equal_content_has_an_equal_mark() {
    let (lead, notas) = (lead(), [nota(Some(Zona::Bano), "Sin bidé")]);
    let (marca, tarifa, impuestos) = (Marca::default(), Tarifa::por_defecto(), Impuestos::por_defecto());
    let base =
        Base { marca: &marca, logo: None, tarifa: &tarifa, impuestos: &impuestos, dia: date(2026, 11, 14) };
    let uno = Documento::componer(&lead, &notas, &[], base);
    assert_eq!(uno.huella(), Documento::componer(&lead, &notas, &[], base).huella());
    // Another day, the same rule in force: still the same content.
    let otro_dia = Base { dia: date(2026, 12, 1), ..base };
    assert_eq!(uno.huella(), Documento::componer(&lead, &notas, &[], otro_dia).huella());

    let plazo = Marca { dias_validez: 15, ..Marca::default() };
    let otros = [
        Documento::componer(&lead, &[nota(None, "Sin bidé")], &[], base),
        Documento::componer(&lead, &notas, &[], Base { marca: &plazo, ..base }),
        Documento::componer(&lead, &notas, &[], Base { logo: Some(Huella::of(b"logo")), ..base }),
        Documento::componer(&Lead { nombre: "Ana Ruiz".into(), ..lead.clone() }, &notas, &[], base),
    ];
    for otro in otros {
        assert_ne!(otro.huella(), uno.huella());
    }
    let json = serde_json::to_string(&uno).expect("writes");
    assert_eq!(serde_json::from_str::<Documento>(&json).expect("reads"), uno);
}

#[test]
fn the_priced_zone_comes_first_and_empty_zones_are_left_out() {
    let lead = Lead { perfil: Perfil { tipo_reforma: Some(Zona::Salon), ..Perfil::default() }, ..lead() };
    let (marca, tarifa, impuestos) = (Marca::default(), Tarifa::por_defecto(), Impuestos::por_defecto());
    let base =
        Base { marca: &marca, logo: None, tarifa: &tarifa, impuestos: &impuestos, dia: date(2026, 11, 14) };
    let notas = [nota(Some(Zona::Cocina), "Isla"), nota(None, "Luz cálida")];
    let documento = Documento::componer(&lead, &notas, &[], base);
    assert_eq!(documento.zonas(), [Zona::Salon, Zona::Cocina]);
    assert_eq!(documento.notas[1].zona, Zona::Salon);
}

#[test]
fn wishes_are_printed_and_notes_from_the_api_where_the_company_wants_them() {
    let perfil = Perfil { taste_text: Some("Madera clara".into()), ..Perfil::default() };
    let lead = Lead { perfil, ..lead() };
    let (tarifa, impuestos) = (Tarifa::por_defecto(), Impuestos::por_defecto());
    let notas = [
        Nota { id: NotaId::del_formulario(lead.id, Zona::Bano), ..nota(Some(Zona::Bano), "Sin bidé") },
        nota(Some(Zona::Cocina), "Cliente indeciso"),
    ];
    let impresas = |lead: &Lead, notas_api| {
        let marca = Marca { notas_api, ..Marca::default() };
        let dia = date(2026, 11, 15);
        let base = Base { marca: &marca, logo: None, tarifa: &tarifa, impuestos: &impuestos, dia };
        let notas = Documento::componer(lead, &notas, &[], base).notas;
        notas.into_iter().map(|n| (n.zona, n.texto)).collect::<Vec<_>>()
    };
    let gustos = (Zona::Otro, "Madera clara".to_owned());
    let propia = (Zona::Bano, "Sin bidé".to_owned());
    let ajena = (Zona::Cocina, "Cliente indeciso".to_owned());
    assert!(Marca::default().notas_api);
    assert_eq!(impresas(&lead, true), [gustos.clone(), propia.clone(), ajena]);
    assert_eq!(impresas(&lead, false), [gustos, propia.clone()]);
    let sin_gustos = Lead { perfil: Perfil { taste_text: Some(" \n".into()), ..Perfil::default() }, ..lead };
    assert_eq!(impresas(&sin_gustos, false), [propia]);
}

fn nota(zona: Option<Zona>, texto: &str) -> Nota {
    Nota { id: NotaId(uuid::Uuid::nil()), texto: texto.into(), zona, creada_en: Timestamp::UNIX_EPOCH }
}

fn lead() -> Lead {
    let empresa = Empresa {
        id: EmpresaId(uuid::Uuid::nil()),
        nombre: "Reformas Peña".into(),
        slug: "reformas-pena".into(),
        por_defecto: true,
        email_avisos: None,
        avisos: true,
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
        utm: Vec::new(),
        creado_en: Timestamp::UNIX_EPOCH,
        actualizado_en: Timestamp::UNIX_EPOCH,
        bucle: None,
    }
}

#[test]
fn a_total_is_compared_with_what_the_client_wants_to_spend() {
    let objetivo = Cents::euros(6_000);
    assert_eq!(Encaje::of(Cents::euros(6_000), objetivo), Encaje::Dentro);
    assert_eq!(Encaje::of(Cents::euros(6_600), objetivo), Encaje::Cerca);
    assert_eq!(Encaje::of(Cents(660_001), objetivo), Encaje::PorEncima);
    assert_eq!(Encaje::of(Cents(i64::MAX), Cents(i64::MAX)), Encaje::Dentro);
}
