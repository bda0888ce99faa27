//! Quotes that people write in the panel: the typed values are sent, nobody overwrites another person's change, and
//! forms cannot do more than they should.

use embudo_app::{Actor, Beginning};
use embudo_domain::audit::AuditAction;
use embudo_domain::brand::Brand;
use embudo_domain::event::EventKind;
use embudo_domain::iva::Answer;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::draft::DraftLine;
use embudo_domain::presupuesto::{Character, Draft, Presupuesto};
use embudo_domain::role::Role;
use embudo_domain::settings::{FormEnd, Settings};
use embudo_domain::{LeadId, PresupuestoId};
use embudo_store::audit::AuditFilter;
use embudo_store::drafts::StoredDraft;
use embudo_testkit::{Answered, Engine, Scene, both_engines};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::panel_empresa::manager;
use crate::person::{Browser, PanelPage as _, add, another_company};
use crate::visitor::hidden;

both_engines!(
    lines_are_edited_added_and_sent,
    rooms_payments_and_options_are_written,
    what_two_people_change_is_kept,
    what_both_changed_is_asked,
    a_line_that_the_other_removed_is_asked,
    hostile_versions_store_nothing_that_cannot_be_read,
    numbers_are_read_as_people_write_them,
    hostile_forms_change_nothing_else,
    what_people_write_is_text,
    sending_asks_for_the_company_first,
    a_quote_is_given_by_hand_and_gets_a_new_version,
    a_company_without_mail_or_webhook_gives_it_by_hand,
    any_two_versions_are_compared,
    a_draft_is_recalculated_and_discarded,
    a_module_saves_and_gets_the_sums,
    the_list_shows_where_quotes_stand,
    review_and_the_forms_end_are_chosen,
    what_nobody_touched_follows_lead_and_company,
    lines_made_for_other_facts_are_told,
    a_draft_that_nobody_saved_follows_the_lead,
    looking_at_a_draft_stores_nothing,
    a_version_that_finalizar_made_keeps_its_costs,
    what_is_edited_in_one_stretch_is_one_line_of_the_log,
);

pub async fn seller(scene: &Scene) -> Browser<'_> {
    add(scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    Browser::signed(scene, "luis@ejemplo.es").await
}

/// Fills in the company's identity.
pub async fn with_identity(scene: &Scene) {
    let brand = Brand {
        nif: Some("B12345674".into()),
        address: Some("Calle Mayor 1, 28013 Madrid".into()),
        ..Brand::default()
    };
    scene.server.app.store.save_brand(scene.server.empresa.id, brand).await.unwrap();
}

async fn a_lead(scene: &Scene) -> LeadId {
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    LeadId::parse(&scene.server.lead_with(known).await).unwrap()
}

/// Opens a draft of a new lead with its button.
pub async fn a_draft(scene: &Scene, browser: &Browser<'_>) -> (LeadId, String) {
    let lead = a_lead(scene).await;
    let opened = browser.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", "ultimo")]).await;
    assert_eq!(opened.status.as_u16(), 303, "{}", opened.text);
    let place = opened.header("location").unwrap().split('?').next().unwrap().to_owned();
    (lead, place)
}

async fn stored(scene: &Scene, lead: LeadId) -> (StoredDraft, Draft) {
    let stored = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
    let sheet = Draft::read(stored.json.as_bytes()).unwrap();
    (stored, sheet)
}

pub async fn line(scene: &Scene, lead: LeadId, n: usize) -> DraftLine {
    stored(scene, lead).await.1.lines().nth(n).unwrap().clone()
}

async fn revision(scene: &Scene, lead: LeadId) -> String {
    stored(scene, lead).await.0.revision.to_string()
}

/// Sends a form with the newest revision.
pub async fn save(
    scene: &Scene,
    browser: &Browser<'_>,
    lead: LeadId,
    place: &str,
    fields: &[(&str, &str)],
) -> Answered {
    let revision = revision(scene, lead).await;
    let mut all = vec![("revision", revision.as_str())];
    all.extend_from_slice(fields);
    browser.post(place, &all).await
}

pub async fn sent(scene: &Scene, browser: &Browser<'_>, lead: LeadId, place: &str) -> Presupuesto {
    let revision = revision(scene, lead).await;
    let sent = browser.post(&format!("{place}/enviar"), &[("revision", &revision)]).await;
    sent.to(&format!("{place}?hecho=enviado"));
    scene.server.app.store.presupuestos(lead).await.unwrap().remove(0)
}

async fn logged(scene: &Scene, action: AuditAction) -> usize {
    let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    all.iter().filter(|entry| entry.action == action).count()
}

async fn lines_are_edited_added_and_sent(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = manager(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    assert_eq!(logged(&scene, AuditAction::QuoteBegun).await, 1);
    let page = browser.get(&place).await.panel(200);
    let (first, second) = (line(&scene, lead, 0).await, line(&scene, lead, 1).await);
    assert!(page.contains(&first.concepto) && page.contains("Revisar y enviar"), "{page}");
    let (a, b) = (format!("linea.{}.precio", first.id), format!("linea.{}.cantidad", second.id));
    let coste = format!("linea.{}.coste", first.id);
    let fields = [(a.as_str(), "1.234,56"), (&b, "12,5"), (&coste, "700"), ("accion", "guardar")];
    save(&scene, &browser, lead, &place, &fields).await.to(&format!("{place}?hecho=guardado"));
    assert_eq!(line(&scene, lead, 0).await.precio, Cents(123_456));
    assert_eq!(line(&scene, lead, 1).await.cantidad.0, 1_250);
    // A free line, and a line from the price table found by a part of its name.
    let free = save(&scene, &browser, lead, &place, &[("accion", "linea.1.0")]).await;
    assert!(free.header("location").unwrap().starts_with(&format!("{place}#l-")), "{:?}", free.headers);
    let (_, sheet) = stored(&scene, lead).await;
    let new = sheet.rooms[0].capitulos[0].lines.last().unwrap().clone();
    assert_eq!((new.key.as_deref(), new.concepto.as_str()), (None, ""));
    let refused = browser.get(&format!("{place}/enviar")).await.panel(200);
    assert!(refused.contains("Escribe el concepto") && !refused.contains("Enviar presupuesto</button>"));
    let (concepto, precio) = (format!("linea.{}.concepto", new.id), format!("linea.{}.precio", new.id));
    let wanted = first.concepto.to_uppercase();
    let fields = [
        (concepto.as_str(), "Nicho de obra"),
        (precio.as_str(), "300"),
        ("tabla.1", wanted.as_str()),
        ("descuento.valor", "5"),
        ("descuento.tipo", "porcentaje"),
        ("descuento.motivo", "cliente de siempre"),
        ("caracter", "vinculante"),
        ("terminos.direccionObra", "Calle Sol 3, Madrid"),
        ("accion", "tabla.1"),
    ];
    let before = sheet.lines().count();
    assert_eq!(save(&scene, &browser, lead, &place, &fields).await.status.as_u16(), 303);
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!(sheet.lines().count(), before + 1);
    assert_eq!(sheet.lines().filter(|l| l.key == first.key).count(), 2, "the same item twice");
    let summary = browser.get(&format!("{place}/enviar")).await.panel(200);
    assert!(summary.contains("Por mensajería al") && summary.contains("Enviar presupuesto</button>"));
    let quote = sent(&scene, &browser, lead, &place).await;
    assert_eq!(
        (quote.number.to_string().as_str(), quote.document.character()),
        ("2026-0001", Character::Binding)
    );
    let lines: Vec<_> = quote.document.pricing.capitulos.iter().flat_map(|c| &c.lines).collect();
    assert!(lines.iter().any(|l| l.concepto == "Nicho de obra" && l.importe == Cents::euros(300)));
    assert!(lines.iter().any(|l| l.concepto.contains("cliente de siempre")));
    assert_eq!(quote.document.terms.site.as_deref(), Some("Calle Sol 3, Madrid"));
    assert_eq!(logged(&scene, AuditAction::QuoteSent).await, 1);
    // Sending twice makes one quote. The address then shows the sent quote, with costs only for the company.
    let again = browser.post(&format!("{place}/enviar"), &[("revision", "9")]).await;
    again.to(&place);
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("2026-0001") && page.contains("700,00"), "{page}");
    let quotes = scene.server.app.store.presupuestos(lead).await.unwrap();
    assert_eq!(quotes.len(), 1);
    let api = scene.server.get(&format!("/api/leads/{lead}")).await.text;
    assert!(!api.contains("coste") && !api.contains("margen"), "{api}");
}

async fn rooms_payments_and_options_are_written(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let room =
        [("nueva.tipo", "cocina"), ("nueva.m2", "9,5"), ("nueva.calidad", "premium"), ("accion", "estancia")];
    save(&scene, &browser, lead, &place, &room).await.to(&format!("{place}#estancia-2"));
    for _ in 0..2 {
        save(&scene, &browser, lead, &place, &[("accion", "pago")]).await.to(&format!("{place}#pagos"));
    }
    let first = line(&scene, lead, 0).await;
    let option = format!("linea.{}.opcional", first.id);
    let off = format!("linea.{}.descuento", line(&scene, lead, 1).await.id);
    let fields = [
        (option.as_str(), "no"),
        (option.as_str(), "si"),
        (off.as_str(), "10"),
        ("pago.0.porcentaje", "40"),
        ("pago.0.momento", "Al aceptar"),
        ("pago.1.porcentaje", "60"),
        ("pago.1.momento", "Al terminar"),
        ("dias", "15"),
        ("terminos.inicio", "2027-01-11"),
        ("terminos.duracion", "tres semanas"),
        ("terminos.nifCliente", "12345678Z"),
        ("iva.vivienda", "declarada"),
        ("iva.contratante", "particular"),
        ("iva.dosAnos", "declarada"),
        ("condiciones", "Una sola condición.\n\nY otra."),
        ("estancia.2.nombre", "Cocina de abajo"),
    ];
    save(&scene, &browser, lead, &place, &fields).await.to(&format!("{place}?hecho=guardado"));
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("Cocina de abajo") && page.contains("opcional") && page.contains("−10"), "{page}");
    let quote = sent(&scene, &browser, lead, &place).await;
    let d = &quote.document;
    assert_eq!((d.rooms.len(), d.options.len(), d.terms.payments.len(), d.valid_days), (2, 1, 2, 15));
    assert_eq!(d.condiciones, ["Una sola condición.", "Y otra."]);
    assert!(!d.impuesto.pending_declaration);
    assert_eq!(d.terms.start.map(|day| day.to_string()).as_deref(), Some("2027-01-11"));
    assert_eq!(d.options[0].line.concepto, first.concepto);
}

/// An open page of the editor.
struct OpenForm {
    revision: String,
    base: String,
}

impl OpenForm {
    async fn of(browser: &Browser<'_>, place: &str) -> Self {
        Self::on(&browser.get(place).await.panel(200))
    }

    fn on(page: &str) -> Self {
        Self { revision: hidden(page, "revision"), base: hidden(page, "base") }
    }

    async fn send(&self, browser: &Browser<'_>, place: &str, fields: &[(&str, &str)]) -> Answered {
        let mut all = vec![("revision", self.revision.as_str()), ("base", self.base.as_str())];
        all.extend_from_slice(fields);
        browser.post(place, &all).await
    }
}

/// Sends a page of questions back with these answers.
async fn answer(browser: &Browser<'_>, place: &str, page: &str, answers: &[(&str, &str)]) -> Answered {
    let names = ["revision", "base", "suya", "mia", "accion", "tabla.1"];
    let carried: Vec<(&str, String)> = names
        .into_iter()
        .filter(|name| page.contains(&format!("name=\"{name}\"")))
        .map(|name| (name, hidden(page, name)))
        .collect();
    let mut all: Vec<(&str, &str)> = carried.iter().map(|(name, value)| (*name, value.as_str())).collect();
    all.extend_from_slice(answers);
    browser.post(place, &all).await
}

async fn eva(scene: &Scene) -> Browser<'_> {
    add(scene, "eva@ejemplo.es", Some(Role::Gestor), None).await;
    Browser::signed(scene, "eva@ejemplo.es").await
}

async fn what_two_people_change_is_kept(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (luis, eva) = (seller(&scene).await, eva(&scene).await);
    let (lead, place) = a_draft(&scene, &luis).await;
    let form = OpenForm::of(&luis, &place).await;
    let (first, second, third) =
        (line(&scene, lead, 0).await, line(&scene, lead, 1).await, line(&scene, lead, 2).await);
    let price = format!("linea.{}.precio", first.id);
    let remove = format!("quitar.{}", third.id);
    // Eva changes a price, removes a line, and adds a line and a text.
    save(&scene, &eva, lead, &place, &[(&price, "11"), ("terminos.introduccion", "Hola")]).await;
    save(&scene, &eva, lead, &place, &[("accion", &remove)]).await;
    save(&scene, &eva, lead, &place, &[("accion", "linea.1.0")]).await;
    // Luis changes other values, also in the same line, and adds an item from the table.
    let names = [format!("linea.{}.cantidad", first.id), format!("linea.{}.concepto", second.id)];
    let old_price = first.precio.0.to_string();
    let old_price = format!("{},{}", &old_price[..old_price.len() - 2], &old_price[old_price.len() - 2..]);
    let fields = [
        (names[0].as_str(), "7"),
        (price.as_str(), old_price.as_str()),
        (names[1].as_str(), "Lo de Luis"),
        ("tabla.1", first.concepto.as_str()),
        ("accion", "tabla.1"),
    ];
    assert_eq!(form.send(&luis, &place, &fields).await.status.as_u16(), 303);
    let (_, sheet) = stored(&scene, lead).await;
    let found = |id: &str| sheet.lines().find(|line| line.id == id);
    let both = found(&first.id).unwrap();
    assert_eq!((both.precio, both.cantidad.0), (Cents(1_100), 700), "of one line each keeps their field");
    assert_eq!(found(&second.id).unwrap().concepto, "Lo de Luis");
    assert!(found(&third.id).is_none(), "what Luis did not touch is gone");
    assert_eq!(sheet.lines().filter(|line| line.key.is_none()).count(), 1, "Eva's line is there");
    assert_eq!(sheet.lines().filter(|line| line.key == first.key).count(), 2, "and what Luis added");
    assert_eq!(sheet.terms.intro.as_deref(), Some("Hola"));
    // Sending the same changes once more changes nothing and asks nothing.
    let again = form.send(&luis, &place, &fields[..3]).await;
    again.to(&format!("{place}?hecho=juntado"));
    assert_eq!(stored(&scene, lead).await.1, sheet);
    assert!(
        luis.get(&format!("{place}?hecho=juntado"))
            .await
            .panel(200)
            .contains("junto con lo que otra persona")
    );
    // A module gets the whole form, including Eva's changes.
    let site = [("terminos.direccionObra", "Calle Sol 3"), ("accion", "auto")];
    let auto = form.send(&luis, &place, &site).await.panel(200);
    assert!(auto.contains("data-editor") && auto.contains("Hola") && auto.contains("Guardado, junto con"));
    assert_eq!(OpenForm::on(&auto).revision, revision(&scene, lead).await);
    let alone =
        OpenForm::on(&auto).send(&luis, &place, &[(names[0].as_str(), "9"), ("accion", "auto")]).await;
    assert!(alone.status.as_u16() == 200 && !alone.text.contains("data-editor"), "{}", alone.text);
    // A form with an unreadable value is shown again with the version that it was loaded from, and is merged after the
    // correction.
    let form = OpenForm::of(&luis, &place).await;
    save(&scene, &eva, lead, &place, &[("terminos.duracion", "un mes")]).await;
    let wrong = form.send(&luis, &place, &[(names[0].as_str(), "siete")]).await.panel(422);
    let mended = OpenForm::on(&wrong).send(&luis, &place, &[(names[0].as_str(), "7")]).await;
    assert_eq!(mended.status.as_u16(), 303);
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!(sheet.terms.duration.as_deref(), Some("un mes"));
}

async fn what_both_changed_is_asked(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let (luis, eva) = (seller(&scene).await, eva(&scene).await);
    let (lead, place) = a_draft(&scene, &luis).await;
    let form = OpenForm::of(&luis, &place).await;
    let first = line(&scene, lead, 0).await;
    let concepto = async || line(&scene, lead, 0).await.concepto;
    let (name, asked) =
        (format!("linea.{}.concepto", first.id), format!("elige.linea.{}.concepto", first.id));
    save(&scene, &eva, lead, &place, &[(&name, "Lo de Eva")]).await;
    let mine = [(name.as_str(), "Lo de Luis"), ("terminos.duracion", "tres semanas")];
    // A module reports the conflict and saves nothing.
    let auto = form.send(&luis, &place, &[mine[0], mine[1], ("accion", "auto")]).await;
    assert_eq!(auto.status.as_u16(), 409);
    assert!(
        auto.text.contains("otra persona ha cambiado lo mismo")
            && auto.text.contains("data-guardado=\"false\"")
    );
    let step = [mine[0], mine[1], ("tabla.1", first.key.as_deref().unwrap()), ("accion", "tabla.1")];
    let page = form.send(&luis, &place, &step).await.panel(409);
    assert!(
        page.contains("Lo de Eva") && page.contains("Lo de Luis") && page.contains("Ana García"),
        "{page}"
    );
    assert_eq!(page.matches("<fieldset").count(), 1, "one question: {page}");
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!((concepto().await.as_str(), sheet.terms.duration), ("Lo de Eva", None), "nothing is saved");
    // Without an answer the page asks again.
    let again = answer(&luis, &place, &page, &[]).await.panel(422);
    assert!(again.contains("Elige una de las dos") && again.contains(&asked), "{again}");
    // Somebody changes the same line meanwhile, so Luis's choice was about another text.
    save(&scene, &eva, lead, &place, &[(&name, "Otra vez Eva")]).await;
    let newer = answer(&luis, &place, &again, &[(&asked, "mia")]).await.panel(409);
    assert!(newer.contains("Otra vez Eva") && newer.contains("Lo de Luis"), "{newer}");
    // After the answer, all other changes of both people are there, and the step of the button is done.
    let before = stored(&scene, lead).await.1.lines().count();
    let done = answer(&luis, &place, &newer, &[(&asked, "suya")]).await;
    assert!(done.header("location").unwrap().contains("#l-"), "{:?}", done.headers);
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!((concepto().await.as_str(), sheet.lines().count()), ("Otra vez Eva", before + 1));
    assert_eq!(sheet.terms.duration.as_deref(), Some("tres semanas"));
    let page = form.send(&luis, &place, &mine[..1]).await.panel(409);
    answer(&luis, &place, &page, &[(&asked, "mia")]).await.to(&format!("{place}?hecho=guardado"));
    assert_eq!(concepto().await, "Lo de Luis");
    // A form without the version that it was loaded from overwrites nothing.
    let old = [("revision", form.revision.as_str()), (name.as_str(), "De antes")];
    let page = luis.post(&place, &old).await.panel(409);
    assert!(page.contains("No se ha guardado nada") && page.contains("De antes"), "{page}");
    assert_eq!(concepto().await, "Lo de Luis");
    for step in ["enviar", "recalcular", "descartar"] {
        luis.post(&format!("{place}/{step}"), &[("revision", "1")]).await.panel(409);
    }
    assert!(scene.server.app.store.draft_of(lead).await.unwrap().is_some());
    assert_eq!(scene.server.app.store.presupuestos(lead).await.unwrap(), vec![]);
}

async fn a_line_that_the_other_removed_is_asked(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (luis, eva) = (seller(&scene).await, eva(&scene).await);
    let (lead, place) = a_draft(&scene, &luis).await;
    let form = OpenForm::of(&luis, &place).await;
    let (first, second) = (line(&scene, lead, 0).await, line(&scene, lead, 1).await);
    let (price, asked) = (format!("linea.{}.precio", first.id), format!("elige.linea.{}", first.id));
    save(&scene, &eva, lead, &place, &[("accion", &format!("quitar.{}", first.id))]).await;
    let page = form.send(&luis, &place, &[(&price, "88,50")]).await.panel(409);
    assert!(page.contains("Quitar") && page.contains("88,50") && page.contains(&first.concepto), "{page}");
    let is_there = async |id: &str| stored(&scene, lead).await.1.lines().any(|line| line.id == id);
    answer(&luis, &place, &page, &[(&asked, "suya")]).await.to(&format!("{place}?hecho=guardado"));
    assert!(!is_there(&first.id).await);
    answer(&luis, &place, &page, &[(&asked, "mia")]).await.to(&format!("{place}?hecho=guardado"));
    assert!(is_there(&first.id).await, "it is back, with its item of the table");
    let (_, sheet) = stored(&scene, lead).await;
    let back = sheet.lines().find(|line| line.id == first.id).unwrap();
    assert_eq!((back.precio, &back.key, &back.table), (Cents(8_850), &first.key, &first.table));
    // The conflict in the opposite direction.
    let form = OpenForm::of(&luis, &place).await;
    let (price, asked) = (format!("linea.{}.precio", second.id), format!("elige.linea.{}", second.id));
    save(&scene, &eva, lead, &place, &[(&price, "5")]).await;
    let remove = format!("quitar.{}", second.id);
    let page = form.send(&luis, &place, &[("accion", &remove)]).await.panel(409);
    assert!(is_there(&second.id).await);
    answer(&luis, &place, &page, &[(&asked, "suya")]).await;
    assert!(is_there(&second.id).await, "the button does not take it out again");
    answer(&luis, &place, &page, &[(&asked, "mia")]).await;
    assert!(!is_there(&second.id).await);
}

async fn hostile_versions_store_nothing_that_cannot_be_read(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let (before, _) = stored(&scene, lead).await;
    let good = OpenForm::of(&browser, &place).await.base;
    for (base, theirs, mine) in [("", "x", "x"), ("x", &good, "%00"), (&good, &good, "bm90IGEgZHJhZnQ")] {
        let fields = [("revision", "0"), ("base", base), ("suya", theirs), ("mia", mine)];
        let answer = browser.post(&place, &fields).await;
        assert!([303, 409].contains(&answer.status.as_u16()), "{}", answer.status);
    }
    assert_eq!(stored(&scene, lead).await.0.json, before.json);
    browser.get(&place).await.panel(200);
}

async fn numbers_are_read_as_people_write_them(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let name = format!("linea.{}.precio", line(&scene, lead, 0).await.id);
    for (text, cents) in
        [("12,5", 1_250), ("1.234,56", 123_456), ("1.234", 123_400), ("99.9", 9_990), ("7 €", 700)]
    {
        let saved = save(&scene, &browser, lead, &place, &[(&name, text)]).await;
        assert_eq!(saved.status.as_u16(), 303, "{text}");
        assert_eq!(line(&scene, lead, 0).await.precio, Cents(cents), "{text}");
    }
    for text in ["", "doce", "1,2,3", "1e9", "0,001", "12,5m"] {
        let page = save(&scene, &browser, lead, &place, &[(&name, text), ("dias", "20")]).await.panel(422);
        assert!(page.contains("aria-invalid=\"true\"") && page.contains("No se ha guardado nada"), "{text}");
        let (_, sheet) = stored(&scene, lead).await;
        assert_eq!((line(&scene, lead, 0).await.precio, sheet.valid_days), (Cents(700), None), "{text}");
        assert!(page.contains(&format!("value=\"{text}\"")), "what was typed comes back");
    }
    // A value that can be read but cannot be sent is saved, and its error is shown at its field.
    save(&scene, &browser, lead, &place, &[(&name, "9999999999")])
        .await
        .to(&format!("{place}?hecho=guardado"));
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains(&format!("{name}-error")) && page.contains("Pon un importe entre"), "{page}");
}

async fn hostile_forms_change_nothing_else(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let (before, sheet) = stored(&scene, lead).await;
    let mut fields: Vec<(String, String)> = vec![("revision".into(), before.revision.to_string())];
    for n in 0..5_000 {
        fields.push((format!("linea.nueva-{n}.precio"), "1".into()));
        fields.push((format!("pago.{n}.porcentaje"), "1".into()));
    }
    for (name, value) in [
        ("estancias", "[]"),
        ("linea..precio", "1"),
        ("linea.1.2.3.precio", "1"),
        ("estancia.99999999999.nombre", "x"),
        ("capitulo.1.99999", "x"),
        ("nota.nada", "si"),
        ("foto.nada.orden", "-1"),
        ("iva.vivienda", "quiza"),
        ("caracter", "regalo"),
        ("obra.urgencia", "ya"),
        ("__proto__", "x"),
    ] {
        fields.push((name.into(), value.into()));
    }
    for button in [
        "linea.9.9",
        "linea.1.99999999999999999999",
        "quitar.no-hay",
        "subir.",
        "bajar.x",
        "quitar-estancia.77",
        "quitar-pago.5",
        "capitulo.0",
        "tabla.8",
        "borrar",
    ] {
        let mut all: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        all.push(("accion", button));
        let answer = browser.post(&place, &all).await;
        assert!([303, 422].contains(&answer.status.as_u16()), "{button}: {}", answer.status);
    }
    let (after, same) = stored(&scene, lead).await;
    assert_eq!((after.revision, same), (before.revision, sheet), "nothing of it is the draft's");
    let huge = "x".repeat(3 << 20);
    let answer = browser.post(&place, &[("revision", "1"), ("terminos.introduccion", &huge)]).await;
    assert_eq!(answer.status.as_u16(), 413);
    for place in [place.clone(), format!("{place}/enviar"), format!("{place}/descartar")] {
        for revision in ["", "x", "-1", "99999999999999999999999"] {
            let answer = browser.post(&place, &[("revision", revision)]).await;
            assert!(
                [303, 409, 422].contains(&answer.status.as_u16()),
                "{place} {revision}: {}",
                answer.status
            );
        }
    }
    assert!(scene.server.app.store.draft_of(lead).await.unwrap().is_some());
    // The number of rooms is limited.
    for _ in 0..25 {
        save(&scene, &browser, lead, &place, &[("nueva.tipo", "otro"), ("accion", "estancia")]).await;
    }
    assert_eq!(stored(&scene, lead).await.1.rooms.len(), 20);
    // People of another company find nothing of the quote, and people who may only read are sent to the lead's page.
    let company = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(company.id)).await;
    let stranger = Browser::signed(&scene, "ajena@ejemplo.es").await;
    assert_eq!(stranger.get(&place).await.status.as_u16(), 404);
    assert_eq!(stranger.post(&format!("{place}/enviar"), &[("revision", "1")]).await.status.as_u16(), 404);
    add(&scene, "lee@ejemplo.es", Some(Role::Lectura), None).await;
    let reader = Browser::signed(&scene, "lee@ejemplo.es").await;
    reader.get(&place).await.to(&format!("{place}/pagina"));
    assert_eq!(reader.post(&place, &[("revision", "1")]).await.status.as_u16(), 403);
    let page = reader.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(!page.contains("/panel/presupuestos/"), "no way to what it costs");
}

async fn what_people_write_is_text(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let id = line(&scene, lead, 0).await.id;
    let evil = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";
    save(&scene, &browser, lead, &place, &[("accion", "pago")]).await;
    let names: Vec<String> = ["concepto", "detalle"].map(|part| format!("linea.{id}.{part}")).into();
    let mut fields: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), evil)).collect();
    for name in [
        "estancia.1.nombre",
        "capitulo.1.0",
        "obra.provincia",
        "descuento.motivo",
        "terminos.introduccion",
        "terminos.textoAdicional",
        "terminos.direccionObra",
        "terminos.nifCliente",
        "terminos.direccionCliente",
        "terminos.duracion",
        "pago.0.momento",
        "condiciones",
    ] {
        fields.push((name, evil));
    }
    fields.extend([("descuento.valor", "1"), ("accion", "guardar")]);
    save(&scene, &browser, lead, &place, &fields).await.to(&format!("{place}?hecho=guardado"));
    let nif = [("terminos.nifCliente", "1")];
    let bad = format!("linea.{id}.precio");
    let mistyped = save(&scene, &browser, lead, &place, &[(&bad, evil), ("tabla.1", evil)]).await;
    let pages = [
        browser.get(&place).await.panel(200),
        mistyped.panel(422),
        browser.get(&format!("{place}/enviar")).await.panel(200),
        browser.get(&format!("{place}/recalcular")).await.panel(200),
    ];
    for page in pages {
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{page}");
        assert!(
            page.contains("&#60;script&#62;")
                || page.contains("&lt;script&gt;")
                || !page.contains("alert(1)")
        );
    }
    save(&scene, &browser, lead, &place, &nif).await;
    let shown = browser.get(&format!("{place}/pagina")).await;
    assert_eq!(shown.status.as_u16(), 200, "{}", shown.text);
    assert!(!shown.text.contains("<script>alert") && shown.text.contains("Así lo verá tu cliente"));
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    let pdf = browser.get(&format!("{place}/pdf")).await;
    assert_eq!((pdf.status.as_u16(), pdf.header("content-type")), (200, Some("application/pdf")));
    let quote = sent(&scene, &browser, lead, &place).await;
    let page = browser.get(&format!("/panel/presupuestos/{}", quote.id)).await.panel(200);
    assert!(!page.contains("<script>alert"), "{page}");
}

async fn sending_asks_for_the_company_first(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let page = browser.get(&format!("{place}/enviar")).await.panel(200);
    assert!(page.contains("el NIF, la dirección") && !page.contains("Enviar presupuesto</button>"), "{page}");
    assert!(page.contains("Pide a quien lleva la empresa"), "a seller cannot fill it in");
    let revision = revision(&scene, lead).await;
    browser.post(&format!("{place}/enviar"), &[("revision", &revision)]).await.panel(422);
    assert_eq!(scene.server.app.store.presupuestos(lead).await.unwrap(), vec![]);
    with_identity(&scene).await;
    sent(&scene, &browser, lead, &place).await;
}

async fn a_quote_is_given_by_hand_and_gets_a_new_version(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let quote = sent(&scene, &browser, lead, &place).await;
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("https://wa.me/34") && page.contains("2026-0001%3A"), "{page}");
    let once = hidden(&page, "vez");
    for _ in 0..2 {
        let pressed = browser.post(&format!("{place}/entregado"), &[("vez", &once)]).await;
        pressed.to(&format!("{place}?hecho=entregado"));
    }
    let record = scene.server.app.store.record(lead).await.unwrap();
    let events = record.events.iter().filter(|event| event.kind == EventKind::DeliveredByHand);
    assert_eq!(events.map(|e| e.detail.as_deref()).collect::<Vec<_>>(), [Some("2026-0001")]);
    assert_eq!(logged(&scene, AuditAction::QuoteHandedOver).await, 1);
    assert!(browser.get(&place).await.panel(200).contains("entregado a mano"));
    // The next version begins with this one, and its page shows the differences.
    let id = quote.id.to_string();
    let opened = browser.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", &id)]).await;
    let next = opened.header("location").unwrap().split('?').next().unwrap().to_owned();
    let first = line(&scene, lead, 0).await;
    let name = format!("linea.{}.precio", first.id);
    save(&scene, &browser, lead, &next, &[(&name, "999,99")]).await;
    let newer = sent(&scene, &browser, lead, &next).await;
    assert_eq!(newer.version, 2);
    let page = browser.get(&next).await.panel(200);
    assert!(page.contains("Qué cambia desde 2026-0001") && page.contains("999,99"), "{page}");
}

async fn a_company_without_mail_or_webhook_gives_it_by_hand(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        (m.outbound.perfil, m.outbound.mensajeria, m.outbound.pdf) = (None, None, None);
    })
    .await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let quote = sent(&scene, &browser, lead, &place).await;
    scene.pass(SignedDuration::ZERO).await;
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("sin enviar: falta conectarlo") && page.contains("PUBLIC_URL"), "{page}");
    let link = page.split("id=\"enlace\"").nth(1).unwrap().split("value=\"").nth(1).unwrap();
    let link = link.split('"').next().unwrap();
    let path = scene.server.app.quotes().page_path(quote.id);
    assert!(
        link.starts_with("http://127.0.0.1:") && link.ends_with(&path),
        "it can be pasted anywhere: {link}"
    );
    assert_eq!(scene.server.get(&path).await.status.as_u16(), 200);
    let text: String = url::form_urlencoded::byte_serialize(link.as_bytes()).collect();
    assert!(
        page.contains("https://wa.me/34612345678?text=Hola%2C%20Ana%3A%20soy%20de%20Reformas%20Pe%C3%B1a.")
    );
    assert!(page.contains(&text), "WhatsApp has the same address");
    browser
        .post(&format!("{place}/entregado"), &[("vez", &hidden(&page, "vez"))])
        .await
        .to(&format!("{place}?hecho=entregado"));
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains(">entregado a mano</span>"), "{page}");
    assert!(
        browser
            .get(&format!("/panel/leads/{lead}"))
            .await
            .panel(200)
            .contains("Presupuesto entregado a mano")
    );
    // Recording the handover sends nothing.
    assert_eq!(scene.receiver.received().len(), 0);
}

async fn any_two_versions_are_compared(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    sent(&scene, &browser, lead, &place).await;
    assert!(!browser.get(&place).await.panel(200).contains("Comparar con"), "there is one alone");
    let mut places = vec![place];
    for price in ["999,99", "555,55"] {
        let from = [("desde", "ultimo")];
        let opened = browser.post(&format!("/panel/leads/{lead}/presupuestos"), &from).await;
        let next = opened.header("location").unwrap().split('?').next().unwrap().to_owned();
        let own = format!("linea.{}.precio", line(&scene, lead, 0).await.id);
        save(&scene, &browser, lead, &next, &[(&own, price)]).await;
        sent(&scene, &browser, lead, &next).await;
        places.push(next);
    }
    let page = browser.get(&places[2]).await.panel(200);
    assert!(page.contains("Qué cambia desde 2026-0002") && page.contains("555,55"), "{page}");
    assert!(page.contains("2026-0001 (versión 1, sustituido)"), "{page}");
    let page = browser.get(&format!("{}?con=2026-0001", places[2])).await.panel(200);
    let said = page.split("id=\"comparar\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(said.contains("Qué cambia desde 2026-0001") && said.contains("555,55"), "{said}");
    assert!(!said.contains("999,99") && said.contains("Total"), "{said}");
    // A comparison of an old version with a newer one, and with a number that is not one of its versions.
    let page = browser.get(&format!("{}?con=2026-0003", places[0])).await.panel(200);
    assert!(page.contains("Qué cambia desde 2026-0003"), "{page}");
    let page = browser.get(&format!("{}?con=2026-0009", places[0])).await.panel(200);
    assert!(page.contains("Otras versiones"), "{page}");
}

async fn a_draft_is_recalculated_and_discarded(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let first = line(&scene, lead, 0).await;
    let name = format!("linea.{}.precio", first.id);
    save(
        &scene,
        &browser,
        lead,
        &place,
        &[(&name, "777,77"), ("estancia.1.m2", "9"), ("accion", "recalcular")],
    )
    .await
    .to(&format!("{place}/recalcular"));
    let page = browser.get(&format!("{place}/recalcular")).await.panel(200);
    assert!(page.contains("Lo que cambiaría") && page.contains("→"), "{page}");
    let seen = hidden(&page, "revision");
    let done = browser.post(&format!("{place}/recalcular"), &[("revision", &seen)]).await;
    done.to(&format!("{place}?hecho=recalculado"));
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!(sheet.rooms[0].facts.m2_suelo, Some(9.0));
    assert_eq!(line(&scene, lead, 0).await.precio, Cents(77_777), "what a person wrote stays");
    browser.get(&format!("{place}/descartar")).await.panel(200);
    let seen = revision(&scene, lead).await;
    let gone = browser.post(&format!("{place}/descartar"), &[("revision", &seen)]).await;
    gone.to(&format!("/panel/leads/{lead}?hecho=descartado"));
    assert_eq!(browser.get(&place).await.status.as_u16(), 404);
    assert_eq!(logged(&scene, AuditAction::QuoteDiscarded).await, 1);
}

async fn a_module_saves_and_gets_the_sums(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let name = format!("linea.{}.precio", line(&scene, lead, 0).await.id);
    let saved = save(&scene, &browser, lead, &place, &[(&name, "10"), ("accion", "auto")]).await;
    assert_eq!((saved.status.as_u16(), saved.header("cache-control")), (200, Some("no-store")));
    assert!(saved.text.starts_with("<div id=\"cuentas\"") && saved.text.contains("data-revision=\"2\""));
    assert!(!saved.text.contains("<html"), "it is a part of the page");
    let wrong = save(&scene, &browser, lead, &place, &[(&name, "x"), ("accion", "auto")]).await;
    assert_eq!(wrong.status.as_u16(), 422);
    assert!(wrong.text.contains(&format!("data-campo=\"{name}\"")), "{}", wrong.text);
    let late = browser.post(&place, &[("revision", "1"), (&name, "11"), ("accion", "auto")]).await;
    assert_eq!(late.status.as_u16(), 409);
    assert!(late.text.contains("Otra persona ha guardado cambios"), "{}", late.text);
}

async fn the_list_shows_where_quotes_stand(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    assert!(browser.get("/panel/presupuestos").await.panel(200).contains("Ningún presupuesto espera"));
    let (lead, place) = a_draft(&scene, &browser).await;
    let page = browser.get("/panel/presupuestos").await.panel(200);
    assert!(page.contains(&place) && page.contains("Ana García"), "{page}");
    sent(&scene, &browser, lead, &place).await;
    let page = browser.get("/panel/presupuestos?estado=enviados").await.panel(200);
    assert!(page.contains("2026-0001") && page.contains(&place), "{page}");
    for other in ["aceptados", "rechazados", "caducados", "sustituidos", "por_revisar", "borradores"] {
        let page = browser.get(&format!("/panel/presupuestos?estado={other}&desde=1-x")).await.panel(200);
        assert!(!page.contains("2026-0001"), "{other}");
    }
    let company = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(company.id)).await;
    let stranger = Browser::signed(&scene, "ajena@ejemplo.es").await;
    assert!(!stranger.get("/panel/presupuestos?estado=enviados").await.panel(200).contains("2026-0001"));
}

async fn review_and_the_forms_end_are_chosen(engine: Engine) {
    let scene = Scene::at(engine).await;
    add(&scene, "eva@ejemplo.es", Some(Role::Gestor), None).await;
    let browser = Browser::signed(&scene, "eva@ejemplo.es").await;
    let path = "/panel/empresa/presupuestos";
    let version = hidden(&browser.get(path).await.panel(200), "version");
    let form = [("version", version.as_str()), ("revisar", "no"), ("revisar", "si"), ("fin", "presupuesto")];
    browser.post(path, &form).await.to("/panel/empresa/presupuestos?hecho");
    let settings = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap();
    assert_eq!(settings, Settings { review: true, form_end: Some(FormEnd::Quote), ..Settings::default() });
    assert_eq!(logged(&scene, AuditAction::SettingsChanged).await, 1);
    let late = [("version", version.as_str()), ("revisar", "no"), ("fin", "nada")];
    let page = browser.post(path, &late).await.panel(409);
    assert!(page.contains("Ahora pone"), "{page}");
    assert_eq!(scene.server.app.store.settings(scene.server.empresa.id).await.unwrap(), settings);
    // If the company reviews quotes, the quote of `finalizar` waits for a person and is first in the list.
    let lead = a_lead(&scene).await;
    scene
        .server
        .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [], "finalizar": true }))
        .await
        .with(200);
    let page = browser.get("/panel/presupuestos").await.panel(200);
    assert!(page.contains("por revisar"), "{page}");
    let open = scene.server.app.quotes().open(lead, Beginning::Latest, &Actor::command()).await.unwrap();
    assert_ne!(open.id, PresupuestoId(uuid::Uuid::nil()));
    assert!(
        browser.get(&format!("/panel/presupuestos/{}", open.id)).await.panel(200).contains("por revisar")
    );
}

async fn patch(scene: &Scene, lead: LeadId, body: serde_json::Value) {
    let request = scene.server.request(Method::PATCH, &format!("/api/leads/{lead}"));
    scene.server.send(request.body(body.to_string())).await.with(200);
}

async fn perfil(scene: &Scene, lead: LeadId, body: serde_json::Value) {
    scene.server.post(&format!("/api/leads/{lead}/perfil"), &body).await.with(200);
}

/// An open page sends back the values that it showed. They must not override what the client and the company changed
/// since then.
async fn what_nobody_touched_follows_lead_and_company(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let page = browser.get(&place).await.panel(200);
    let usual = |name: &str| hidden(&page, &format!("habitual.{name}"));
    let shown: Vec<(String, String)> =
        ["condiciones", "dias", "iva.vivienda", "iva.contratante", "iva.dosAnos"]
            .into_iter()
            .flat_map(|name| [(name.to_owned(), usual(name)), (format!("habitual.{name}"), usual(name))])
            .collect();
    assert_eq!((usual("iva.vivienda").as_str(), usual("dias").as_str()), ("desconocida", "30"));
    let auto = async |changed: &[(&str, &str)]| {
        let mut fields: Vec<(&str, &str)> =
            shown.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        fields.retain(|(name, _)| !changed.iter().any(|(other, _)| other == name));
        fields.extend_from_slice(changed);
        fields.push(("accion", "auto"));
        let saved = save(&scene, &browser, lead, &place, &fields).await;
        assert_eq!(saved.status.as_u16(), 200, "{}", saved.text);
        saved.text
    };
    patch(&scene, lead, json!({ "esVivienda": false })).await;
    let brand = scene.server.app.store.brand(scene.server.empresa.id).await.unwrap().brand;
    scene
        .server
        .app
        .store
        .save_brand(scene.server.empresa.id, Brand { valid_days: 45, ..brand })
        .await
        .unwrap();
    let price = format!("linea.{}.precio", line(&scene, lead, 0).await.id);
    let sums = auto(&[(&price, "10")]).await;
    assert!(sums.contains("IVA (21") && !sums.contains("IVA (10"), "{sums}");
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!((sheet.tax, sheet.condiciones, sheet.valid_days), (None, None, None));
    // One answer by a person is only one answer: the others still follow the lead. If the answer is taken back, it
    // follows the lead again.
    auto(&[("iva.dosAnos", "negada"), ("dias", "12")]).await;
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!(sheet.tax.unwrap().vivienda, None);
    assert_eq!((sheet.tax.unwrap().two_years, sheet.valid_days), (Some(Answer::Denied), Some(12)));
    auto(&[]).await;
    let (_, sheet) = stored(&scene, lead).await;
    assert_eq!((sheet.tax, sheet.valid_days), (None, None));
    let quote = sent(&scene, &browser, lead, &place).await;
    assert_eq!((quote.document.impuesto.percentage.0, quote.document.valid_days), (2_100, 45));
    // Business premises that only the client's words mention.
    let local =
        LeadId::parse(&scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await).unwrap();
    perfil(&scene, local, json!({ "espacio": "Local comercial" })).await;
    scene
        .server
        .post(&format!("/api/leads/{local}/ingesta"), &json!({ "items": [], "finalizar": true }))
        .await
        .with(200);
    let quote = scene.server.app.store.presupuestos(local).await.unwrap().remove(0);
    assert_eq!(quote.document.impuesto.percentage.0, 2_100);
}

const CHANGED: &str = "Los datos han cambiado desde que se prepararon las partidas";

async fn lines_made_for_other_facts_are_told(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let pages = async || {
        let send = browser.get(&format!("{place}/enviar")).await.panel(200);
        [browser.get(&place).await.panel(200), send]
    };
    for page in pages().await {
        assert!(!page.contains("han cambiado"), "{page}");
    }
    perfil(&scene, lead, json!({ "m2Suelo": 9 })).await;
    for page in pages().await {
        assert!(page.contains(CHANGED) && page.contains(&format!("{place}/recalcular")), "{page}");
        assert!(page.contains(" → "), "it says what: {page}");
    }
    let seen = revision(&scene, lead).await;
    browser.post(&format!("{place}/recalcular"), &[("revision", &seen)]).await;
    for page in pages().await {
        assert!(!page.contains("han cambiado"), "{page}");
    }
    // An area that a person types counts in the same way, and the editor says so while they type.
    let saved = save(&scene, &browser, lead, &place, &[("estancia.1.m2", "4"), ("accion", "auto")]).await;
    assert!(saved.text.contains(CHANGED), "{}", saved.text);
}

async fn a_draft_that_nobody_saved_follows_the_lead(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let settings = Settings { review: true, ..Settings::default() };
    scene.server.app.store.save_settings(scene.server.empresa.id, settings).await.unwrap();
    let browser = seller(&scene).await;
    let lead = a_lead(&scene).await;
    let ask = json!({ "items": [], "finalizar": true });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &ask).await.with(200);
    let (draft, made) = stored(&scene, lead).await;
    let place = format!("/panel/presupuestos/{}", draft.id);
    let first = hidden(&browser.get(&format!("{place}/enviar")).await.panel(200), "revision");
    // The client corrects the summary of the form.
    perfil(&scene, lead, json!({ "m2Suelo": 9 })).await;
    browser.post(&format!("{place}/enviar"), &[("revision", &first)]).await.panel(409);
    let (draft, now) = stored(&scene, lead).await;
    assert_eq!((now.rooms[0].facts.m2_suelo, draft.saved_by), (Some(9.0), None));
    assert!(now != made && !browser.get(&place).await.panel(200).contains("han cambiado"));
    // A draft that a person has saved no longer follows the lead.
    let price = format!("linea.{}.precio", line(&scene, lead, 0).await.id);
    save(&scene, &browser, lead, &place, &[(&price, "77")]).await.to(&format!("{place}?hecho=guardado"));
    perfil(&scene, lead, json!({ "m2Suelo": 12 })).await;
    assert!(browser.get(&place).await.panel(200).contains(CHANGED));
    assert_eq!(stored(&scene, lead).await.1.rooms[0].facts.m2_suelo, Some(9.0));
}

async fn looking_at_a_draft_stores_nothing(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let settings = Settings { review: true, ..Settings::default() };
    scene.server.app.store.save_settings(scene.server.empresa.id, settings).await.unwrap();
    let browser = seller(&scene).await;
    let lead = a_lead(&scene).await;
    let ask = json!({ "items": [], "finalizar": true });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &ask).await.with(200);
    let (draft, _) = stored(&scene, lead).await;
    let place = format!("/panel/presupuestos/{}", draft.id);
    perfil(&scene, lead, json!({ "m2Suelo": 9 })).await;
    // The only thing that is written is who saw the lead.
    browser.get(&place).await.panel(200);
    let before = scene.server.rows().await;
    for page in ["", "/enviar", "/recalcular", "/descartar", "/pagina", "/pdf"] {
        assert_eq!(browser.get(&format!("{place}{page}")).await.status.as_u16(), 200, "{page}");
    }
    assert_eq!(scene.server.rows().await, before);
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("Al día con los datos de ahora") && page.contains("value=\"9\""), "{page}");
    let (shown, price) = (hidden(&page, "revision"), line(&scene, lead, 0).await.id);
    let price = format!("linea.{price}.precio");
    // The lead changed, so the draft that the page showed no longer exists.
    perfil(&scene, lead, json!({ "m2Suelo": 10 })).await;
    let form = |revision: String| [("revision".to_owned(), revision), (price.clone(), "77".to_owned())];
    let post = async |path: String, form: [(String, String); 2]| {
        browser.post(&path, &form.each_ref().map(|(name, value)| (name.as_str(), value.as_str()))).await
    };
    for step in ["", "/enviar", "/recalcular", "/descartar"] {
        post(format!("{place}{step}"), form(shown.clone())).await.panel(409);
    }
    // The first form that is sent stores the draft with the typed values.
    perfil(&scene, lead, json!({ "m2Suelo": 11 })).await;
    let shown = hidden(&browser.get(&place).await.panel(200), "revision");
    post(place.clone(), form(shown)).await.to(&format!("{place}?hecho=guardado"));
    let (draft, sheet) = stored(&scene, lead).await;
    assert_eq!((sheet.rooms[0].facts.m2_suelo, draft.saved_by.is_some()), (Some(11.0), true));
    assert_eq!(line(&scene, lead, 0).await.precio, Cents(7_700));
    let edits = log_of(&scene, AuditAction::QuoteEdited).await;
    assert_eq!(edits.len(), 1);
    assert!(!edits[0].contains("Datos de la obra"), "what the service made is not the person's: {edits:?}");
}

/// The entries of the audit log for an action, in their words.
async fn log_of(scene: &Scene, action: AuditAction) -> Vec<String> {
    let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    all.into_iter().filter(|entry| entry.action == action).filter_map(|entry| entry.after).collect()
}

async fn a_version_that_finalizar_made_keeps_its_costs(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = manager(&scene).await;
    let ask = |text: &str| json!({ "items": [{ "tipo": "texto", "texto": text }], "finalizar": true });
    let lead = a_lead(&scene).await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &ask("Con mampara")).await.with(200);
    let own = |quotes: Vec<Presupuesto>| format!("/panel/presupuestos/{}", quotes[0].id);
    let page = browser.get(&own(scene.server.app.store.presupuestos(lead).await.unwrap())).await.panel(200);
    assert!(!page.contains("Tu margen"), "nobody knows what it costs: {page}");

    let (lead, place) = a_draft(&scene, &browser).await;
    let id = line(&scene, lead, 0).await.id;
    let (coste, precio) = (format!("linea.{id}.coste"), format!("linea.{id}.precio"));
    save(&scene, &browser, lead, &place, &[(&coste, "123,45"), (&precio, "222,22")]).await;
    sent(&scene, &browser, lead, &place).await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &ask("Con mampara")).await.with(200);
    let quotes = scene.server.app.store.presupuestos(lead).await.unwrap();
    assert_eq!(quotes[0].version, 2);
    let (later, place) = (quotes[0].id.to_string(), own(quotes));
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("Tu margen") && page.contains("de costes"), "{page}");
    // The next version begins with the price set by hand, and recalculating keeps that price.
    let opened = browser.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", &later)]).await;
    let next = opened.header("location").unwrap().split('?').next().unwrap().to_owned();
    let seen = revision(&scene, lead).await;
    browser.post(&format!("{next}/recalcular"), &[("revision", &seen)]).await;
    let first = line(&scene, lead, 0).await;
    assert_eq!((first.precio, first.coste), (Cents(22_222), Some(Cents(12_345))));
}

async fn what_is_edited_in_one_stretch_is_one_line_of_the_log(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let first = line(&scene, lead, 0).await;
    let (precio, descuento) = (format!("linea.{}.precio", first.id), format!("linea.{}.descuento", first.id));
    let edited = async || {
        let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
        all.into_iter().filter(|entry| entry.action == AuditAction::QuoteEdited).collect::<Vec<_>>()
    };
    let auto = async |browser: &Browser<'_>, field: &str, value: &str| {
        let saved = save(&scene, browser, lead, &place, &[(field, value), ("accion", "auto")]).await;
        assert_eq!(saved.status.as_u16(), 200, "{}", saved.text);
    };
    assert_eq!(edited().await.len(), 0);
    for price in ["10", "11", "12,50"] {
        auto(&browser, &precio, price).await;
        scene.clock.advance(SignedDuration::from_mins(20));
    }
    auto(&browser, &descuento, "15").await;
    auto(&browser, &descuento, "15").await;
    let log = edited().await;
    assert_eq!(log.len(), 1, "{log:?}");
    let told = log[0].after.clone().unwrap().replace('\u{a0}', " ");
    assert!(told.contains("12,50 €") && told.contains("15 %") && !told.contains("11,00 €"), "{told}");
    assert!(told.contains(&first.precio.to_string().replace('\u{a0}', " ")), "what it was before: {told}");
    assert_eq!(log[0].object.as_deref(), Some(lead.to_string().as_str()));
    assert_eq!((log[0].who.as_str(), log[0].empresa), ("Ana García", Some(scene.server.empresa.id)));

    // An edit after a pause or by another person is another entry.
    scene.clock.advance(SignedDuration::from_mins(29));
    auto(&browser, &precio, "13").await;
    assert_eq!(edited().await.len(), 1);
    scene.clock.advance(SignedDuration::from_mins(29));
    auto(&browser, &precio, "14").await;
    add(&scene, "eva@ejemplo.es", Some(Role::Comercial), None).await;
    let eva = Browser::signed(&scene, "eva@ejemplo.es").await;
    auto(&eva, &precio, "20").await;
    let log = edited().await;
    assert_eq!(log.len(), 2);
    let told = log[0].after.clone().unwrap().replace('\u{a0}', " ");
    assert!(told.contains("14,00 € → 20,00 €"), "{told}");
    scene.clock.advance(SignedDuration::from_mins(29));
    auto(&eva, &precio, "21").await;
    assert_eq!(edited().await.len(), 2);
    scene.clock.advance(SignedDuration::from_mins(30));
    let eva = Browser::signed(&scene, "eva@ejemplo.es").await;
    auto(&eva, &precio, "22").await;
    assert_eq!(edited().await.len(), 3, "after half an hour it is another stretch");
}
