//! What a person does with a quote.

use jiff::civil::date;

use super::*;
use crate::foto::{Foto, StoredImage};
use crate::ingesta::Momento;
use crate::perfil::Perfil;
use crate::presupuesto::tests::{TARIFA, base, lead as anyone, nota};
use crate::presupuesto::{Base, DiscountValue, Document, Payment, differences};

pub(super) fn bathroom() -> Lead {
    let perfil = Perfil {
        tipo_reforma: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad_global: Some(Calidad::Media),
        urgencia: Some(Urgencia::Media),
        ..Perfil::default()
    };
    Lead { perfil, provincia: Some("Valencia".into()), ..anyone() }
}

fn sealed(draft: &Draft) -> Document {
    draft.compose(&bathroom(), &[], &[], base()).expect("a right draft")
}

fn line<'a>(draft: &'a mut Draft, id: &str) -> &'a mut DraftLine {
    let lines = draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos).flat_map(|c| &mut c.lines);
    lines.into_iter().find(|l| l.id == id).expect("a line")
}

fn free(concepto: &str, precio: Cents, material: i64) -> DraftLine {
    let material = Percentage(material);
    DraftLine {
        id: concepto.to_lowercase(),
        concepto: concepto.into(),
        precio,
        material,
        ..DraftLine::default()
    }
}

fn texts(all: &[crate::presupuesto::Difference]) -> Vec<String> {
    all.iter().map(|d| d.to_string().replace('\u{a0}', " ")).collect()
}

#[test]
fn a_price_and_a_free_line_change_the_sum_and_nothing_else() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    let before = sealed(&draft);
    assert!(draft.rooms[0].is_as_made());
    line(&mut draft, "1-alicatado-bano").precio = Cents::euros(50);
    draft.rooms[0].capitulos[0].lines.push(free("Andamio", Cents::euros(120), 0));
    assert!(!draft.rooms[0].is_as_made());
    let after = sealed(&draft);
    let tiles = |d: &Document| {
        let mut lines = d.pricing.capitulos.iter().flat_map(|c| &c.lines);
        lines.find(|l| l.key == "alicatado-bano").expect("tiles").clone()
    };
    let (old, new) = (tiles(&before), tiles(&after));
    let dearer = old.cantidad.0 * (50_00 - old.precio.0) / 100;
    assert!(dearer > 0 && new.importe == Cents(old.importe.0 + dearer));
    assert_eq!(after.pricing.base.0 - before.pricing.base.0, dearer + 12_000);
    let plain = |c: Cents| c.to_string().replace('\u{a0}', " ");
    let change = |what: &str, old: Cents, new: Cents| format!("{what}: {} → {}", plain(old), plain(new));
    assert_eq!(
        texts(&differences(&before, &after)),
        [
            "Andamio: nuevo, 1 ud (120,00 €)".to_owned(),
            format!(
                "{} por m² ({} → {})",
                change(&old.concepto, old.precio, Cents::euros(50)),
                plain(old.importe),
                plain(new.importe)
            ),
            change("Base imponible", before.pricing.base, after.pricing.base),
            change("Total", before.impuesto.total, after.impuesto.total),
        ]
    );
    assert!(differences(&after, &after).is_empty());
}

#[test]
fn discounts_of_line_and_whole() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    let before = sealed(&draft);
    line(&mut draft, "1-alicatado-bano").discount = Percentage(1_000);
    let value = DiscountValue::Percentage(Percentage(500));
    draft.discount = Some(Discount { value, reason: Some("cliente de siempre".into()) });
    let after = sealed(&draft);
    let tiles = draft.lines().find(|l| l.id == "1-alicatado-bano").expect("tiles");
    let off = tiles.precio.by_cantidad(tiles.cantidad).and_then(|c| c.part(Percentage(1_000))).expect("fits");
    let less = Cents(before.pricing.base.0 - off.0);
    let whole = less.part(Percentage(500)).expect("fits");
    assert_eq!(after.pricing.base, Cents(less.0 - whole.0));
    let last = after.pricing.capitulos.last().expect("a chapter");
    assert_eq!(last.lines[0].concepto.replace('\u{a0}', " "), "Descuento (5 %): cliente de siempre");
    assert_eq!(last.total, Cents(-whole.0));
    assert_eq!(after.impuesto.materiales, before.impuesto.materiales, "decided before discounts");
    assert!(after.materials_after_discounts() > before.materials_after_discounts());
    let (own, over_all) = after.capitulos();
    assert_eq!((own.len() + 1, over_all.len()), (after.pricing.capitulos.len(), 1));
    assert_eq!(after.sections().last().expect("a section").nombre, "Descuento");
    // A discount cannot exceed the whole.
    let value = DiscountValue::Amount(Cents::euros(900_000));
    let nothing = sealed(&Draft { discount: Some(Discount { value, reason: None }), ..draft });
    assert_eq!((nothing.pricing.base, nothing.pricing.material, nothing.impuesto.total), Default::default());
}

#[test]
fn a_kitchen_and_a_bathroom_stand_in_one_quote() {
    let lead = bathroom();
    let mut draft = Draft::of_lead(&lead, base());
    let alone = sealed(&draft);
    let kitchen = Lead {
        perfil: Perfil {
            tipo_reforma: Some(Zona::Cocina),
            m2_suelo: Some(12.0),
            calidad_global: Some(Calidad::Premium),
            estructural: Some(false),
            urgencia: Some(Urgencia::Media),
            ..Perfil::default()
        },
        ..lead.clone()
    };
    assert_eq!(draft.add_room(RoomInput::of(&kitchen), &lead, &TARIFA), 2);
    let both = sealed(&draft);
    assert_eq!(both.pricing.title, "Reforma de baño y cocina");
    assert_eq!(both.pricing.m2, Cantidad::unidades(17));
    let rooms: Vec<_> = both.rooms.iter().map(|r| (r.nombre.as_str(), r.total)).collect();
    let kitchen = Document::compose(&kitchen, &[], &[], base());
    assert_eq!(rooms, [("Baño", alone.pricing.base), ("Cocina", kitchen.pricing.base)]);
    assert_eq!(both.pricing.base.0, rooms[0].1.0 + rooms[1].1.0);
    let sections: Vec<_> = both.sections().iter().map(|s| (s.nombre.clone(), s.total)).collect();
    assert_eq!(sections, [("Baño".to_owned(), rooms[0].1), ("Cocina".to_owned(), rooms[1].1)]);
    // An assumption about the job is listed once, an assumption about a room with the room's name.
    let texts: Vec<&str> = both.pricing.assumptions.iter().map(|a| a.text.as_str()).collect();
    assert!(texts.iter().any(|t| t.starts_with("Baño: no hay obra estructural")), "{texts:?}");
    assert!(!texts.iter().any(|t| t.starts_with("Cocina: no hay obra estructural")), "{texts:?}");
    // A second bathroom is numbered.
    draft.add_room(RoomInput { kind: Some(Zona::Bano), ..RoomInput::default() }, &lead, &TARIFA);
    let three = sealed(&draft);
    let names: Vec<&str> = three.rooms.iter().map(|r| r.nombre.as_str()).collect();
    assert_eq!(names, ["Baño 1", "Cocina", "Baño 2"]);
    // A heading that a person wrote is not given to another room too: options are assigned to rooms by it.
    draft.rooms[1].nombre = Some("Baño 2".to_owned());
    let typed = sealed(&draft);
    let names: Vec<&str> = typed.rooms.iter().map(|r| r.nombre.as_str()).collect();
    assert_eq!(names, ["Baño 1", "Baño 2", "Baño 3"]);
    assert_eq!(three.character(), Character::Orientative, "the third has no size");
    let range = three.impuesto.range.expect("a range");
    assert!(range.minimum < three.impuesto.total && three.impuesto.total < range.maximum);
}

#[test]
fn what_a_person_sends_as_binding_supposes_nothing_that_decides() {
    let mut draft = Draft::of_lead(&anyone(), base());
    let table = draft.compose(&anyone(), &[], &[], base()).expect("right");
    assert!(table.pricing.range.is_some() && table.character() == Character::Orientative);
    draft.character = Some(Character::Binding);
    let sent = draft.compose(&anyone(), &[], &[], base()).expect("right");
    assert_eq!((sent.character(), sent.pricing.range, sent.impuesto.range), (Character::Binding, None, None));
    let data: Vec<&str> = sent.pricing.assumptions.iter().map(|a| a.datum.as_str()).collect();
    assert_eq!(data, ["estructural", "urgencia", "ascensor"]);
}

#[test]
fn options_are_outside_until_they_are_ticked() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    let before = sealed(&draft);
    let chapter = &mut draft.rooms[0].capitulos[0].lines;
    chapter.push(DraftLine { optional: true, ..free("Mueble", Cents::euros(3_000), 9_000) });
    chapter.push(DraftLine { optional: true, ..free("Pintura", Cents::euros(1_000), 1_000) });
    let quote = sealed(&draft);
    assert_eq!((quote.pricing.base, quote.impuesto.total), (before.pricing.base, before.impuesto.total));
    assert_eq!(quote.with_options::<&str>(&[]).impuesto, quote.impuesto);
    let paint = quote.with_options(&["pintura", "pintura", "nada"]);
    assert_eq!(paint.base, Cents(before.pricing.base.0 + 100_000));
    let total = paint.base.0 + paint.base.part(Percentage(1_000)).expect("fits").0;
    assert_eq!((paint.impuesto.percentage, paint.total), (Percentage(1_000), Cents(total)));
    // 2,700 € of materials in 3,000 € bring the share of 35 % over the limit, and paint does not bring it back below.
    let furniture = quote.with_options(&["mueble"]);
    assert_eq!(furniture.impuesto.percentage, Percentage(2_100));
    assert!(furniture.impuesto.reasons[0].contains("opciones") && furniture.impuesto.declaracion.is_none());
    let all = quote.with_options(&["mueble", "pintura"]);
    assert_eq!(all.impuesto.percentage, Percentage(2_100));
    assert!(paint.total < furniture.total && furniture.total < all.total);
    let json = serde_json::to_string(&quote).expect("writes");
    let read: Document = serde_json::from_str(&json).expect("reads");
    assert_eq!((read.with_options(&["mueble"]), read.digest()), (furniture, quote.digest()));
}

#[test]
fn recalculating_keeps_what_people_did() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    line(&mut draft, "1-alicatado-bano").precio = Cents::euros(50);
    draft.rooms[0].capitulos[0].lines.push(free("Andamio", Cents::euros(120), 0));
    let removed = draft.rooms[0].capitulos[1].lines.remove(0).id;
    draft.rooms[0].capitulos.reverse();
    assert_eq!(draft.rooms[0].removed().collect::<Vec<_>>(), [&removed]);
    let same = draft.recalculate(&bathroom(), base());
    assert_eq!((same.draft, same.differences), (draft.clone(), vec![]));

    let mut larger = bathroom();
    larger.perfil.m2_suelo = Some(8.0);
    let new = draft.recalculate(&larger, base());
    let tiles = new.draft.lines().find(|l| l.id == "1-alicatado-bano").expect("still there");
    assert_eq!((tiles.precio, tiles.cantidad > Cantidad(2_032)), (Cents::euros(50), true));
    assert!(new.draft.lines().any(|l| l.id == "andamio") && !new.draft.lines().any(|l| l.id == removed));
    let order = |d: &Draft| d.lines().map(|l| l.id.clone()).collect::<Vec<_>>();
    assert_eq!(order(&new.draft), order(&draft));
    let told = texts(&new.differences);
    assert!(
        told.contains(
            &"Alicatado de paredes con cemento cola y rejuntado antimoho: 20,32 → 25,72 m² (1.016,00 € → 1.286,00 €)".to_owned()
        ),
        "{told:?}"
    );
    // With another quality the lines of the old quality go, but a line that a person changed stays.
    let mut premium = larger.clone();
    premium.perfil.calidad_global = Some(Calidad::Premium);
    let fresh = Draft::of_lead(&premium, base());
    let finer = draft.recalculate(&premium, base()).draft;
    let has = |d: &Draft, id: &str| d.lines().any(|l| l.id == id);
    assert!(fresh.lines().all(|l| has(&finer, &l.id) || l.id == removed));
    assert_eq!(finer.rooms[0].facts.calidad, Some(Calidad::Premium));
    // A value that was set by hand does not follow the lead.
    draft.rooms[0].facts.m2_suelo = Some(6.0);
    assert_eq!(draft.recalculate(&larger, base()).draft.rooms[0].facts.m2_suelo, Some(6.0));
}

#[test]
fn a_line_of_the_table_costs_what_its_list_says() {
    let lead = bathroom();
    let mut draft = Draft::of_lead(&lead, base());
    let premium =
        RoomInput { kind: Some(Zona::Cocina), calidad: Some(Calidad::Premium), ..RoomInput::default() };
    draft.add_room(premium, &lead, &TARIFA);
    for room in &draft.rooms {
        let listed = draft.unit_prices(room, &lead, &TARIFA);
        for (partida, price) in TARIFA.partidas().iter().zip(&listed) {
            let line = draft.table_line(room.id, &partida.key, &lead, &TARIFA);
            assert_eq!(line.map(|line| line.precio), *price, "{}", partida.key);
        }
        assert!(listed.iter().any(Option::is_some));
    }
}

#[test]
fn an_item_of_the_table_can_be_added_to_any_room() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    let worktop = draft.table_line(1, "encimera-cocina", &bathroom(), &TARIFA).expect("an item");
    assert!(worktop.id == "1-encimera-cocina" && !worktop.is_changed());
    draft.rooms[0].capitulos[0].lines.push(worktop);
    let again = draft.table_line(1, "encimera-cocina", &bathroom(), &TARIFA).expect("an item");
    assert_eq!(again.id, "1-encimera-cocina-2");
    assert_eq!(draft.table_line(1, "nada", &bathroom(), &TARIFA), None);
    assert_eq!(draft.table_line(9, "encimera-cocina", &bathroom(), &TARIFA), None);
    let kept = draft.recalculate(&bathroom(), base());
    assert!(kept.differences.is_empty() && kept.draft.lines().any(|l| l.id == "1-encimera-cocina"));
}

#[test]
fn photos_and_notes_are_chosen_and_later_ones_are_not_lost() {
    let lead = bathroom();
    let foto = |n: u128| Foto {
        id: FotoId(uuid::Uuid::from_u128(n)),
        zona: Zona::Bano,
        momento: Momento::Before,
        orden: 0.0,
        image: StoredImage::Url("https://ejemplo.es/foto.jpg".into()),
        creada_en: crate::Timestamp::UNIX_EPOCH,
    };
    let fotos = [foto(1), foto(2), foto(3), foto(4)];
    let notas = [nota(None, "Cliente indeciso")];
    let mut draft = Draft::of_lead(&lead, base());
    draft.fotos = FotoChoice { order: vec![foto(3).id], left_out: vec![foto(1).id] };
    draft.notas.left_out = vec![notas[0].id];
    let sealed = draft.compose(&lead, &notas, &fotos, base()).expect("right");
    let ids: Vec<u128> = sealed.fotos.iter().map(|f| f.id.0.as_u128()).collect();
    assert_eq!((ids, sealed.notas), (vec![3, 2, 4], vec![]));
    let quiet = crate::brand::Brand { notas_api: false, ..Default::default() };
    draft.notas = NotaChoice { shown: vec![notas[0].id], ..NotaChoice::default() };
    let shown = draft.compose(&lead, &notas, &[], Base { brand: &quiet, ..base() }).expect("right");
    assert_eq!(shown.notas[0].text, "Cliente indeciso");
}

#[test]
fn payments_sum_to_the_total_and_replace_the_usual_sentence() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    let payment = |p, m: &str| Payment { percentage: Percentage(p), moment: m.into() };
    draft.terms.payments =
        vec![payment(3_333, "al aceptar"), payment(3_333, "a mitad de obra"), payment(3_334, "a la entrega")];
    draft.terms.site = Some("  ".into());
    draft.terms.start = Some(date(2027, 3, 1));
    let quote = sealed(&draft);
    let total = quote.impuesto.total;
    let due: Vec<Cents> = quote.terms.payments_of(total).iter().map(|d| d.importe).collect();
    assert_eq!(Cents::sum(due.clone()), Some(total));
    for (due, exact) in due.iter().zip([3_333, 3_333, 3_334]) {
        let exact = total.part(Percentage(exact)).expect("fits");
        assert!((due.0 - exact.0).abs() <= 1, "{due} is not {exact}");
    }
    assert!(!quote.condiciones.iter().any(|c| c.starts_with("Forma de pago")));
    assert_eq!(quote.terms.site, None);
    let json = serde_json::to_string(&quote).expect("writes");
    assert_eq!(serde_json::from_str::<Document>(&json).expect("reads"), quote);
    draft.terms.payments.pop();
    let wrong = draft.check().expect_err("not the whole");
    assert_eq!(
        wrong.to_string().replace('\u{a0}', " "),
        "/terminos/pagos: Los pagos suman el 66,66 %: ajústalos para que sumen el 100 %."
    );
}

#[test]
fn the_margin_knows_what_it_does_not_know() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    line(&mut draft, "1-alicatado-bano").coste = Some(Cents::euros(30));
    let document = sealed(&draft);
    let margin = draft.margin(&document).expect("fits");
    assert_eq!((margin.cost, margin.without_cost), (Cents(60_960), draft.lines().count() - 1));
    assert_eq!(margin.margin.0, document.pricing.base.0 - 60_960);
    assert!(!serde_json::to_string(&document).expect("writes").contains("coste\":"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let mut draft = Draft::of_lead(&bathroom(), base());
    draft.rooms[0].capitulos[1].lines[0].concepto = " ".into();
    draft.rooms[0].capitulos[0].lines[0].cantidad = Cantidad(0);
    draft.rooms[0].capitulos[0].lines[0].precio = Cents(-1);
    draft.valid_days = Some(0);
    let wrong = draft.compose(&bathroom(), &[], &[], base()).expect_err("mistakes");
    let fields: Vec<&str> = wrong.errors.iter().map(|e| e.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "/estancias/0/capitulos/0/lineas/0/cantidad",
            "/estancias/0/capitulos/0/lineas/0/precio",
            "/estancias/0/capitulos/1/lineas/0/concepto",
            "/diasValidez",
        ]
    );
    assert!(Draft::default().check().is_err() && Draft::read(b"7").is_err());
    let read = Draft::read(br#"{"estancias":[{"capitulos":[{"nombre":"Obra","lineas":[{"concepto":"A"},{"concepto":"B"}]}]}],"nuevo":1}"#);
    let read = read.expect("reads");
    let ids: Vec<&str> = read.lines().map(|l| l.id.as_str()).collect();
    assert_eq!((read.rooms[0].id, ids), (1, vec!["1-linea-1", "1-linea-2"]));
    assert_eq!(read.check(), Ok(()));
}

#[test]
fn a_new_version_begins_as_the_old_one() {
    let lead = bathroom();
    let mut draft = Draft::of_lead(&lead, base());
    let kitchen = RoomInput { kind: Some(Zona::Cocina), m2_suelo: Some(9.0), ..RoomInput::default() };
    draft.add_room(kitchen, &lead, &TARIFA);
    draft.job.urgencia = Some(Urgencia::Alta);
    let mut draft = draft.recalculate(&lead, base()).draft;
    line(&mut draft, "1-alicatado-bano").discount = Percentage(1_000);
    let extra = DraftLine { optional: true, ..free("Mueble", Cents::euros(3_000), 9_000) };
    draft.rooms[1].capitulos[0].lines.push(extra);
    let value = DiscountValue::Amount(Cents::euros(100));
    draft.discount = Some(Discount { value, reason: None });
    let old = sealed(&draft);
    let again = Draft::of_document(&old, &TARIFA);
    let new = sealed(&again);
    assert_eq!(texts(&differences(&old, &new)), Vec::<String>::new());
    assert_eq!((&new.pricing, &new.impuesto, &new.options), (&old.pricing, &old.impuesto, &old.options));
    assert!(again.recalculate(&lead, base()).draft.check().is_ok());
}

#[test]
fn each_tax_answer_is_a_persons_or_the_leads() {
    let usual = Condiciones { vivienda: Answer::Denied, ..Condiciones::default() };
    let own = TaxChoice { two_years: Some(Answer::Declared), ..TaxChoice::default() };
    let draft = Draft { tax: Some(own), ..Draft::default() };
    let answers = draft.condiciones(usual);
    assert_eq!((answers.vivienda, answers.two_years), (Answer::Denied, Answer::Declared));
    let nobody = TaxChoice { contratante: Some(None), ..TaxChoice::default() };
    for choice in [own, nobody] {
        let text = serde_json::to_string(&choice).expect("plain");
        assert_eq!(serde_json::from_str::<TaxChoice>(&text).expect("reads"), choice, "{text}");
    }
    let usual = Condiciones { contratante: Some(Contratante::Empresa), ..usual };
    assert_eq!(nobody.over(usual).contratante, None);
}

#[test]
fn premises_that_only_words_name_have_the_general_rate() {
    let mut lead = bathroom();
    lead.perfil.espacio = Some("Un local comercial".into());
    assert_eq!(lead.condiciones().vivienda, Answer::Denied);
    let base = Base { condiciones: lead.condiciones(), ..base() };
    let d = Draft::of_lead(&lead, base).compose(&lead, &[], &[], base).expect("right");
    assert_eq!(d.impuesto.percentage, Percentage(2_100));
    lead.obra.es_vivienda = Some(true);
    assert_eq!(lead.condiciones().vivienda, Answer::Declared, "the client is believed");
}
