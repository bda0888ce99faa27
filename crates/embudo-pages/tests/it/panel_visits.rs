//! Visits in the panel and on the client's page: created, chosen, moved, cancelled, closed; the calendar and its feed.

use embudo_app::{Actor, Change};
use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::role::Role;
use embudo_domain::visita::{SpanishTimeZone, Visita, VisitaState};
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_lead_desk::{log, person, signed};
use crate::person::{Browser, PanelPage as _, add, another_company};
use crate::visitor::hidden;

both_engines!(
    a_visit_is_proposed_and_the_client_chooses,
    a_conflict_is_told_and_may_be_overridden,
    a_stale_form_shows_both_versions,
    what_is_measured_goes_into_the_lead,
    the_calendar_shows_months_weeks_and_a_list,
    a_visit_is_prepared_from_the_calendar,
    who_cancelled_a_visit_is_said,
    a_visit_without_an_address_is_where_the_lead_is,
    nobody_goes_on_holidays_or_closed_days,
    working_hours_are_read_and_told_where_wrong,
    a_calendar_address_is_shown_once_and_answers_with_an_etag,
    an_hour_that_does_not_exist_is_refused,
    a_pass_opens_its_visit_and_nothing_else,
    a_number_in_a_form_is_no_ones_visit,
    of_two_people_one_fixes_the_hour_and_the_other_is_warned,
    other_people_or_another_length_are_warned_of,
    hours_that_are_typed_are_warned_of,
    the_client_who_comes_second_reads_it_and_chooses_another,
    a_pass_changes_a_visit_ten_times_a_day,
    somebody_who_left_is_named_and_no_hours_are_offered,
    words_fit_their_numbers_and_times,
    people_of_other_companies_are_nobody_here,
);

async fn visits_of(scene: &Scene, lead: &str) -> Vec<Visita> {
    scene.server.app.store.visitas_of(LeadId::parse(lead).unwrap(), 10).await.unwrap()
}

async fn the_visit(scene: &Scene, lead: &str) -> Visita {
    visits_of(scene, lead).await.remove(0)
}

/// The free hours on a page.
fn offered(page: &str) -> Vec<String> {
    let boxes = page.split("name=\"hueco\" value=\"").skip(1);
    boxes.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

/// Creates a visit by hand at a local time in Madrid.
async fn fix(scene: &Scene, browser: &Browser<'_>, lead: &str, who: &str, when: &str) -> Visita {
    let place = format!("/panel/leads/{lead}/visitas");
    let once = hidden(&browser.get(&place).await.panel(200), "vez");
    let fields = [
        ("vez", once.as_str()),
        ("persona", who),
        ("minutos", "60"),
        ("cuando", when),
        ("hacer", "confirmar"),
        ("avisar", "si"),
    ];
    let answer = browser.post(&place, &fields).await;
    assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
    the_visit(scene, lead).await
}

async fn a_visit_is_proposed_and_the_client_chooses(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await;
    let lead = scene.server.lead().await;
    let browser = signed(&scene, "Luis").await;
    let page = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(page.contains(&format!("/panel/leads/{lead}/visitas")), "{page}");
    let place = format!("/panel/leads/{lead}/visitas");
    let form = browser.get(&place).await.panel(200);
    let hours = offered(&form);
    // The first hour is at least one day ahead, so that the client can still change the visit.
    assert!(hours.len() == 12 && hours[0] == "2026-11-16T09:00", "{hours:?}");
    let (once, who) = (hidden(&form, "vez"), luis.id.to_string());
    let base = [
        ("vez", once.as_str()),
        ("persona", who.as_str()),
        ("direccion", "Calle Mayor 1"),
        ("minutos", "60"),
    ];
    let none = [&base[..], &[("hacer", "proponer")]].concat();
    assert!(browser.post(&place, &none).await.panel(422).contains("al menos una hora"));
    let wrong =
        [("vez", once.as_str()), ("minutos", "5"), ("hacer", "proponer"), ("hueco", hours[0].as_str())];
    let told = browser.post(&place, &wrong).await.panel(422);
    assert!(told.contains("de 15 a 480") && told.contains("Elige quién va"), "{told}");
    let two = [&base[..], &[("hacer", "proponer"), ("hueco", &hours[0]), ("hueco", &hours[4])]].concat();
    browser.post(&place, &two).await;
    browser.post(&place, &two).await;
    assert_eq!(visits_of(&scene, &lead).await.len(), 1, "pressed twice it is one press");
    let visita = the_visit(&scene, &lead).await;
    assert_eq!((visita.state, visita.slots.len()), (VisitaState::Propuesta, 2));
    let shown = browser.get(&format!("/panel/visitas/{}?hecho=creada", visita.id)).await.panel(200);
    assert!(shown.contains("openstreetmap.org") && shown.contains("lunes 16 de noviembre"), "{shown}");
    assert_eq!(log(&scene, AuditAction::VisitaCreated).await.len(), 1);

    let client = Browser::new(&scene);
    let address = scene.server.app.visits().page_path(&visita);
    let page = client.get(&address).await;
    assert_eq!(page.status.as_u16(), 200);
    assert_eq!(
        (page.header("cache-control"), page.header("x-robots-tag")),
        (Some("no-store"), Some("noindex"))
    );
    assert!(page.text.contains("Elige hora") && !page.text.contains("Llamar"), "{}", page.text);
    let first = visita.slots[0].as_second().to_string();
    let choose = format!("{address}/elegir");
    assert_eq!(client.post(&choose, &[]).await.status.as_u16(), 422);
    assert_eq!(client.post(&choose, &[("hora", "17")]).await.status.as_u16(), 409);
    for _ in 0..2 {
        client.post(&choose, &[("hora", &first)]).await.to(&format!("{address}?hecho=elegida"));
    }
    let agreed = the_visit(&scene, &lead).await;
    assert_eq!((agreed.state, agreed.revision), (VisitaState::Confirmada, 2));
    let page = client.get(&format!("{address}?hecho=elegida")).await.text;
    assert!(
        page.contains("nos vemos a esa hora") && !page.contains("Te escribimos"),
        "there is no mail: {page}"
    );
    let mover = format!("{address}?hacer=mover");
    let page = client.get(&mover).await.text;
    assert!(page.contains("Elige otra hora") && page.contains("Más días"), "{page}");
    let days = page.matches("class=\"dia-huecos\"").count();
    assert!(days >= 10 && page.matches("name=\"hora\"").count() >= 2 * days, "{days} days: {page}");
    assert!(!page.contains(&first), "the hour that is agreed is not offered: {page}");
    // The first tap shows the old and the new hour, the second one moves the visit.
    let hour = page.split("name=\"hora\" value=\"").nth(7).and_then(|part| part.split('"').next()).unwrap();
    let ask = client.get(&format!("{mover}&hora={hour}")).await;
    let words = |at: i64| SpanishTimeZone::Madrid.long(jiff::Timestamp::from_second(at).unwrap());
    let (old, new) = (words(first.parse().unwrap()), words(hour.parse().unwrap()));
    assert_eq!(ask.status.as_u16(), 200);
    assert!(
        ask.text.contains(&old) && ask.text.contains(&new) && ask.text.contains("Sí, cambiarla"),
        "{}",
        ask.text
    );
    let again = client.post(&choose, &[("hora", hour)]).await;
    assert!(again.status.as_u16() == 200 && again.text.contains("Sí, cambiarla"), "{}", again.text);
    let stale = client.post(&choose, &[("hora", hour), ("desde", "17")]).await;
    assert!(stale.status.as_u16() == 409 && stale.text.contains("ha cambiado mientras"), "{}", stale.text);
    assert_eq!(the_visit(&scene, &lead).await, agreed, "nothing moved yet");
    let odd = client.get(&format!("{mover}&hora=17")).await;
    assert!(odd.status.as_u16() == 409 && odd.text.contains("no es de las que ofrecemos"), "{}", odd.text);
    for _ in 0..2 {
        let fields = [("hora", hour), ("desde", first.as_str())];
        client.post(&choose, &fields).await.to(&format!("{address}?hecho=elegida"));
    }
    let moved = the_visit(&scene, &lead).await;
    assert_eq!(moved.start.map(|start| start.as_second().to_string()).as_deref(), Some(hour));
    let foreign = client.form(&format!("{address}/cancelar"), &[]).header("sec-fetch-site", "cross-site");
    assert_eq!(client.send(foreign).await.status.as_u16(), 403);
    client.post(&format!("{address}/cancelar"), &[]).await.to(&format!("{address}?hecho=cancelada"));
    assert!(client.get(&address).await.text.contains("está cancelada"));
}

async fn a_conflict_is_told_and_may_be_overridden(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let (one, two) = (scene.server.lead().await, scene.server.lead().await);
    let first = fix(&scene, &browser, &one, &luis, "2026-11-17T10:00").await;
    assert_eq!(first.start.unwrap().to_string(), "2026-11-17T09:00:00Z");
    let place = format!("/panel/leads/{two}/visitas");
    let once = hidden(&browser.get(&place).await.panel(200), "vez");
    let fields = [
        ("vez", once.as_str()),
        ("persona", luis.as_str()),
        ("minutos", "60"),
        ("cuando", "2026-11-17T11:15"),
        ("hacer", "confirmar"),
    ];
    let told = browser.post(&place, &fields).await.panel(422);
    assert!(told.contains("Hay otra visita") && told.contains("aun-asi"), "{told}");
    assert!(visits_of(&scene, &two).await.is_empty());
    let anyway = [&fields[..], &[("aun-asi", "si")]].concat();
    assert_eq!(browser.post(&place, &anyway).await.status.as_u16(), 303);
    let second = the_visit(&scene, &two).await;
    // Moving it outside the working hours is reported too.
    let path = format!("/panel/visitas/{}/confirmar", second.id);
    let revision = second.revision.to_string();
    let night = [("revision", revision.as_str()), ("cuando", "2026-11-18T22:00")];
    assert!(browser.post(&path, &night).await.panel(422).contains("fuera del horario"));
    let day = [("revision", revision.as_str()), ("cuando", "2026-11-18T10:00")];
    browser.post(&path, &day).await.to(&format!("/panel/visitas/{}?hecho=fijada", second.id));
    assert_eq!(the_visit(&scene, &two).await.sequence, 1);
    let late = [("revision", revision.as_str()), ("cuando", "2026-11-18T12:00")];
    assert!(browser.post(&path, &late).await.panel(409).contains("ha cambiado"));
}

async fn a_stale_form_shows_both_versions(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let visita = fix(&scene, &browser, &lead, &luis, "2026-11-17T10:00").await;
    let path = format!("/panel/visitas/{}/datos", visita.id);
    let revision = visita.revision.to_string();
    let form = |place: &'static str| {
        [
            ("revision", revision.clone()),
            ("persona", luis.clone()),
            ("minutos", "60".into()),
            ("direccion", place.into()),
        ]
    };
    let send = async |place| {
        let fields = form(place);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
        browser.post(&path, &fields).await
    };
    send("Calle Uno 1").await.to(&format!("/panel/visitas/{}?hecho=datos", visita.id));
    let both = send("Calle Dos 2").await.panel(409);
    assert!(both.contains("Calle Uno 1") && both.contains("Calle Dos 2"), "{both}");
    let current = the_visit(&scene, &lead).await;
    assert_eq!((current.address.as_str(), current.sequence), ("Calle Uno 1", 1));
}

async fn what_is_measured_goes_into_the_lead(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let visita = fix(&scene, &browser, &lead, &luis, "2026-11-17T10:00").await;
    let path = format!("/panel/visitas/{}", visita.id);
    let (end, measure) = (format!("{path}/resultado"), format!("{path}/medidas"));
    let early = [("revision", "1"), ("estado", "realizada")];
    assert!(browser.post(&end, &early).await.panel(422).contains("aún no ha empezado"));
    scene.clock.advance(SignedDuration::from_hours(72));
    let browser = signed(&scene, "Luis").await;
    browser.post(&end, &early).await.to(&format!("{path}?hecho=cerrada"));
    let page = browser.get(&path).await.panel(200);
    let (obra, vivienda) = (hidden(&page, "version-obra"), hidden(&page, "version-vivienda"));
    let base = [("revision", "2"), ("version-obra", obra.as_str()), ("version-vivienda", vivienda.as_str())];
    let wrong = [&base[..], &[("m2Suelo", "muchos"), ("medidas", "Techo a 2,40")]].concat();
    assert!(browser.post(&measure, &wrong).await.panel(422).contains("muchos"));
    let right =
        [&base[..], &[("m2Suelo", "6,5"), ("planta", "3"), ("ascensor", "no"), ("medidas", "Techo a 2,40")]]
            .concat();
    browser.post(&measure, &right).await.to(&format!("{path}?hecho=medidas"));
    let kept = scene.server.app.store.lead(LeadId::parse(&lead).unwrap()).await.unwrap();
    assert_eq!(
        (kept.perfil.m2_suelo, kept.obra.planta, kept.obra.ascensor),
        (Some(6.5), Some(3), Some(false))
    );
    let page = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(page.contains("Techo a 2,40"), "{page}");
    assert_eq!(the_visit(&scene, &lead).await.measurements, "Techo a 2,40");
    assert_eq!(log(&scene, AuditAction::LeadChanged).await.len(), 1);
    assert_eq!(log(&scene, AuditAction::NotaWritten).await.len(), 1);
}

async fn the_calendar_shows_months_weeks_and_a_list(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Gestor).await.id.to_string();
    person(&scene, "Eva", Role::Comercial).await;
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let nombre = scene.server.app.store.lead(LeadId::parse(&lead).unwrap()).await.unwrap().nombre;
    fix(&scene, &browser, &lead, &luis, "2026-11-17T10:00").await;
    for view in ["mes", "semana&dia=2026-11-18", "lista"] {
        let page = browser.get(&format!("/panel/visitas?vista={view}")).await.panel(200);
        assert!(page.contains(&nombre) && page.contains("10:00–11:00"), "{view}: {page}");
    }
    let page = browser.get("/panel/visitas?vista=mes&dia=2026-12-05").await.panel(200);
    assert!(page.contains("Diciembre de 2026") && !page.contains("10:00–11:00"));
    for odd in ["dia=9999-12-31", "dia=x", "vista=nada", "dia=2001-01-01&vista=lista", "dia=2099-12-31"] {
        browser.get(&format!("/panel/visitas?{odd}")).await.panel(200);
    }
    let hers = signed(&scene, "Eva").await.get("/panel/visitas?vista=mes&de=yo").await.panel(200);
    assert!(!hers.contains("10:00–11:00"));
    // In the Canaries it is one hour earlier.
    let path = "/panel/visitas/ajustes";
    let version = hidden(&browser.get(path).await.panel(200), "version");
    let base = [("version", version.as_str()), ("limite", "24"), ("minutos", "60")];
    let wrong = [("version", version.as_str()), ("limite", "9000"), ("minutos", "1"), ("huso", "")];
    assert!(browser.post(path, &wrong).await.panel(422).contains("de 0 a 336"));
    let canary = [&base[..], &[("huso", SpanishTimeZone::Canary.as_str())]].concat();
    browser.post(path, &canary).await.to(&format!("{path}?hecho"));
    let page = browser.get("/panel/visitas?vista=mes").await.panel(200);
    assert!(page.contains("9:00–10:00") && page.contains("Horas de Canarias"), "{page}");
    let stale = [&base[..], &[("huso", SpanishTimeZone::Madrid.as_str())]].concat();
    assert!(browser.post(path, &stale).await.panel(409).contains("Canarias"));
    assert_eq!(log(&scene, AuditAction::VisitSettingsChanged).await.len(), 1);
}

/// A day of the calendar leads through a search to the form, which has the day, the address and the hours from that day
/// on.
async fn a_visit_is_prepared_from_the_calendar(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    person(&scene, "Eva", Role::Lectura).await;
    let other = another_company(&scene).await;
    let browser = signed(&scene, "Luis").await;
    let more = json!({ "nombre": "Marta Gil", "telefono": "633445566", "direccion": "Calle Mayor 7, Madrid", "provincia": "Madrid" });
    let lead = scene.server.lead_with(more).await;
    scene.server.lead_with(json!({ "nombre": "Pepe Sanz" })).await;
    scene.server.lead_with(json!({ "nombre": "Marta Ajena", "tenantId": other.id })).await;
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let month = browser.get("/panel/visitas?vista=mes&dia=2026-11-14").await.panel(200);
    assert!(month.contains("href=\"/panel/visitas/nueva\""), "{month}");
    assert!(month.contains("/panel/visitas/nueva?dia=2026-11-19"), "{month}");
    assert!(!month.contains("/panel/visitas/nueva?dia=2026-11-02"), "it is past: {month}");
    let all = browser.get("/panel/visitas/nueva?dia=2026-11-19").await.panel(200);
    assert!(all.contains("Marta Gil") && all.contains("Pepe Sanz") && !all.contains("Ajena"), "{all}");
    assert!(all.contains("Para el 19 de noviembre de 2026."), "{all}");
    for asked in ["marta", "633 44 55 66"] {
        let found = browser.get(&format!("/panel/visitas/nueva?dia=2026-11-19&q={asked}")).await.panel(200);
        assert!(found.contains(&format!("/panel/leads/{lead}/visitas?dia=2026-11-19")), "{asked}: {found}");
        assert!(!found.contains("Pepe Sanz"), "{asked}: {found}");
    }
    assert!(browser.get("/panel/visitas/nueva?q=nadie&dia=x").await.panel(200).contains("Nadie coincide"));
    let form = browser.get(&format!("/panel/leads/{lead}/visitas?dia=2026-11-19")).await.panel(200);
    assert!(form.contains("value=\"2026-11-19T09:00\""), "{form}");
    assert!(form.contains("value=\"Calle Mayor 7, Madrid\""), "{form}");
    assert!(offered(&form).iter().all(|hour| hour.as_str() >= "2026-11-19"), "{:?}", offered(&form));
    // A Sunday has no free hours, so the form suggests its morning.
    let sunday = browser.get(&format!("/panel/leads/{lead}/visitas?dia=2026-11-22")).await.panel(200);
    assert!(sunday.contains("value=\"2026-11-22T09:00\""), "{sunday}");
    let reader = signed(&scene, "Eva").await;
    assert_eq!(reader.get("/panel/visitas/nueva").await.status.as_u16(), 403);
}

/// The visit, the calendar's list and the lead's history show who cancelled: a person's name, or the client.
async fn who_cancelled_a_visit_is_said(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let (ours, theirs) = (scene.server.lead().await, scene.server.lead().await);
    let visita = fix(&scene, &browser, &ours, &luis, "2026-11-18T10:00").await;
    let path = format!("/panel/visitas/{}", visita.id);
    browser
        .post(&format!("{path}/cancelar"), &[("revision", "1")])
        .await
        .to(&format!("{path}?hecho=cancelada"));
    let visita = fix(&scene, &browser, &theirs, &luis, "2026-11-19T10:00").await;
    let address = scene.server.app.visits().page_path(&visita);
    let client = Browser::new(&scene);
    client.post(&format!("{address}/cancelar"), &[]).await.to(&format!("{address}?hecho=cancelada"));
    let by_client = format!("/panel/visitas/{}", visita.id);
    let list = browser.get("/panel/visitas?vista=lista").await.panel(200);
    let when = SpanishTimeZone::Madrid.short(scene.server.app.now());
    for (lead, page, who) in [(&ours, &path, "Luis"), (&theirs, &by_client, "el cliente desde su enlace")] {
        let said = format!("La canceló {who}, {when}");
        let shown = browser.get(page).await.panel(200);
        assert!(shown.contains(&said), "{shown}");
        assert!(list.contains(&said), "{said}: {list}");
        let history = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
        let by = who.split(" desde").next().unwrap();
        assert!(history.contains(&format!("cancelada por {by}; era ")), "{history}");
    }
}

/// A visit created without an address shows the lead's address, which was added later. The telephone is a link.
async fn a_visit_without_an_address_is_where_the_lead_is(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let lead =
        scene.server.lead_with(json!({ "direccion": "Calle Mayor 7, Madrid", "provincia": "Madrid" })).await;
    let visita = fix(&scene, &browser, &lead, &luis, "2026-11-18T10:00").await;
    assert_eq!(visita.address, "");
    let page = browser.get(&format!("/panel/visitas/{}", visita.id)).await.panel(200);
    assert!(page.contains("Calle Mayor 7, Madrid") && page.contains("(la del lead)"), "{page}");
    assert!(page.contains("openstreetmap.org/search?query=Calle+Mayor+7"), "{page}");
    assert!(page.contains("href=\"tel:+34"), "{page}");
    assert!(page.contains("value=\"Calle Mayor 7, Madrid\""), "the form has it: {page}");
}

async fn nobody_goes_on_holidays_or_closed_days(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Gestor).await;
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let set = async |closed: &str, on_holidays: &str| {
        let path = "/panel/visitas/ajustes";
        let version = hidden(&browser.get(path).await.panel(200), "version");
        let fields = [
            ("version", version.as_str()),
            ("huso", ""),
            ("limite", "24"),
            ("minutos", "60"),
            ("festivos", on_holidays),
            ("cerrado", closed),
        ];
        browser.post(path, &fields).await
    };
    let days = async || {
        let page = browser.get(&format!("/panel/leads/{lead}/visitas")).await.panel(200);
        let mut days: Vec<String> = offered(&page).iter().map(|hour| hour[..10].to_owned()).collect();
        days.dedup();
        days
    };
    assert!(set("mañana", "no").await.panel(422).contains("Escribe cada día así"));
    set("16/11/2026 - 04/12/2026", "no").await.to("/panel/visitas/ajustes?hecho");
    // The 8th is a holiday everywhere, the 7th only in Madrid, where the company's address is.
    assert_eq!(days().await, ["2026-12-07", "2026-12-09", "2026-12-10", "2026-12-11"]);
    let path = "/panel/empresa/datos";
    let version = hidden(&browser.get(path).await.panel(200), "version");
    let address =
        [("version", version.as_str()), ("nombre", "Alba"), ("direccion", "Calle Mayor 1, 28013 Madrid")];
    browser.post(path, &address).await.to(&format!("{path}?hecho"));
    assert_eq!(days().await, ["2026-12-09", "2026-12-10", "2026-12-11"]);
    let december = browser.get("/panel/visitas?vista=mes&dia=2026-12-01").await.panel(200);
    for name in ["La Inmaculada", "Día de la Constitución, trasladado al lunes", "Navidad", "Cerrado"] {
        assert!(december.contains(name), "{name} in {december}");
    }
    set("16/11/2026 - 04/12/2026", "si").await.to("/panel/visitas/ajustes?hecho");
    assert_eq!(days().await, ["2026-12-07", "2026-12-08", "2026-12-09", "2026-12-10"]);
}

async fn working_hours_are_read_and_told_where_wrong(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await;
    let browser = signed(&scene, "Luis").await;
    let page = browser.get("/panel/cuenta").await.panel(200);
    assert!(page.contains("9:00-14:00, 16:00-19:00"), "{page}");
    let path = "/panel/cuenta/agenda";
    let base = [("revision", "0"), ("lunes", "17-20"), ("margen", "0")];
    let wrong = [&base[..], &[("martes", "por la tarde"), ("libres", "mañana")]].concat();
    let told = browser.post(path, &wrong).await.panel(422);
    assert!(
        told.contains("martes-error") && told.contains("libres-error") && told.contains("por la tarde"),
        "{told}"
    );
    let right = [&base[..], &[("libres", "16/11/2026")]].concat();
    browser.post(path, &right).await.to("/panel/cuenta?hecho=agenda");
    let both = browser.post(path, &base).await.panel(409);
    assert!(both.contains("Ahora pone") && both.contains("16/11/2026"), "{both}");
    let lead = scene.server.lead().await;
    let hours = offered(&browser.get(&format!("/panel/leads/{lead}/visitas")).await.panel(200));
    assert_eq!(&hours[..3], ["2026-11-23T17:00", "2026-11-23T18:00", "2026-11-23T19:00"]);
    let entries = log(&scene, AuditAction::AgendaChanged).await;
    assert_eq!((entries.len(), entries[0].user), (1, Some(luis.id)));
}

async fn a_calendar_address_is_shown_once_and_answers_with_an_etag(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let visita = fix(&scene, &browser, &scene.server.lead().await, &luis, "2026-11-17T10:00").await;
    let page = browser.post("/panel/cuenta/calendario", &[("hacer", "nueva")]).await.panel(200);
    let place = page.split("/calendario/").nth(1).unwrap().split(".ics").next().unwrap().to_owned();
    let again = browser.get("/panel/cuenta").await.panel(200);
    assert!(!again.contains(&place) && again.contains("Tienes una desde"), "{again}");
    let path = format!("/calendario/{place}.ics");
    let client = Browser::new(&scene);
    let feed = client.get(&path).await;
    assert_eq!(
        (feed.status.as_u16(), feed.header("content-type")),
        (200, Some("text/calendar; charset=utf-8"))
    );
    assert!(feed.text.contains(&format!("UID:{}@embudo\r\n", visita.id)), "{}", feed.text);
    let etag = feed.header("etag").unwrap().to_owned();
    let known = reqwest::Client::new().get(scene.server.url(&path)).header("if-none-match", etag);
    assert_eq!(client.send(known).await.status.as_u16(), 304);
    for wrong in [
        format!("/calendario/{place}"),
        "/calendario/x.ics".into(),
        format!("/calendario/{}.ics", "a".repeat(900)),
    ] {
        assert_eq!(client.get(&wrong).await.status.as_u16(), 404, "{wrong}");
    }
    let mut last = 200;
    for _ in 0..130 {
        last = client.get(&path).await.status.as_u16();
    }
    assert_eq!(last, 429, "nobody needs it that often");
    browser
        .post("/panel/cuenta/calendario", &[("hacer", "quitar")])
        .await
        .to("/panel/cuenta?hecho=sin-calendario");
    assert_eq!(client.get(&path).await.status.as_u16(), 404);
    assert_eq!(log(&scene, AuditAction::FeedChanged).await.len(), 2);
    let entries = log(&scene, AuditAction::FeedChanged).await;
    assert!(!format!("{entries:?}").contains(&place), "no secret in the log");
}

async fn an_hour_that_does_not_exist_is_refused(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let place = format!("/panel/leads/{lead}/visitas");
    let once = hidden(&browser.get(&place).await.panel(200), "vez");
    let fields = [
        ("vez", once.as_str()),
        ("persona", luis.as_str()),
        ("minutos", "60"),
        ("cuando", "2027-03-28T02:30"),
        ("hacer", "confirmar"),
        ("aun-asi", "si"),
    ];
    assert!(browser.post(&place, &fields).await.panel(422).contains("no existe"));
    let twice = fields.map(|(name, value)| (name, if name == "cuando" { "2027-10-31T02:30" } else { value }));
    assert_eq!(browser.post(&place, &twice).await.status.as_u16(), 303);
    let visita = the_visit(&scene, &lead).await;
    assert_eq!(visita.start.unwrap().to_string(), "2027-10-31T00:30:00Z", "the first of the two");
}

async fn a_pass_opens_its_visit_and_nothing_else(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let visita = fix(&scene, &browser, &scene.server.lead().await, &luis, "2026-11-17T10:00").await;
    let address = scene.server.app.visits().page_path(&visita);
    let client = Browser::new(&scene);
    let quote = address.replace("/v/", "/p/");
    for wrong in ["/v/x", "/v/", quote.as_str(), &format!("{address}x")] {
        assert_eq!(client.get(wrong).await.status.as_u16(), 404, "{wrong}");
    }
    scene.clock.advance(SignedDuration::from_hours(410 * 24));
    assert_eq!(client.get(&address).await.status.as_u16(), 410);
}

/// Proposes hours in Madrid's local time by typing them.
async fn propose(scene: &Scene, browser: &Browser<'_>, lead: &str, who: &str, hours: &[&str]) -> Visita {
    let place = format!("/panel/leads/{lead}/visitas");
    let once = hidden(&browser.get(&place).await.panel(200), "vez");
    let mut fields = vec![("vez", once.as_str()), ("persona", who), ("minutos", "60"), ("hacer", "proponer")];
    fields.extend(hours.iter().map(|hour| ("otra", *hour)));
    let answer = browser.post(&place, &fields).await;
    assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
    the_visit(scene, lead).await
}

async fn a_number_in_a_form_is_no_ones_visit(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let first = fix(&scene, &browser, &scene.server.lead().await, &luis, "2026-11-17T10:00").await;
    // A person of another company knows the visit's id and sends it in a form of their own.
    let other = another_company(&scene).await;
    let eva = add(&scene, "eva@ejemplo.es", Some(Role::Comercial), Some(other.id)).await;
    let hers = Browser::signed(&scene, "eva@ejemplo.es").await;
    let form = hers.get("/panel/leads/nuevo").await.panel(200);
    let vez = hidden(&form, "vez");
    let new = [
        ("vez", vez.as_str()),
        ("nombre", "Pepe Gil"),
        ("telefono", "612000007"),
        ("email", "pepe@ejemplo.es"),
        ("tipoReforma", "bano"),
        ("canalOrigen", "referido"),
    ];
    let made = hers.post("/panel/leads/nuevo", &new).await;
    let made = made.header("location").unwrap_or_else(|| panic!("{}", made.text)).to_owned();
    let lead = made.trim_start_matches("/panel/leads/").split('?').next().unwrap().to_owned();
    let (id, who) = (first.id.to_string(), eva.id.to_string());
    let fields = [
        ("vez", id.as_str()),
        ("persona", who.as_str()),
        ("minutos", "60"),
        ("cuando", "2026-11-18T10:00"),
        ("hacer", "confirmar"),
    ];
    let place = format!("/panel/leads/{lead}/visitas");
    for _ in 0..2 {
        assert_eq!(hers.post(&place, &fields).await.status.as_u16(), 303);
    }
    assert_eq!(visits_of(&scene, &lead).await.len(), 1, "pressed twice it is one press");
    assert_ne!(the_visit(&scene, &lead).await.id, first.id);
    assert_eq!(scene.server.app.store.visita(first.id).await.unwrap(), Some(first.clone()));
    assert_eq!(browser.get(&format!("/panel/visitas/{}", first.id)).await.status.as_u16(), 200);
}

async fn of_two_people_one_fixes_the_hour_and_the_other_is_warned(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    person(&scene, "Eva", Role::Comercial).await;
    let (his, hers) = (signed(&scene, "Luis").await, signed(&scene, "Eva").await);
    for day in 16..=20 {
        let leads = [scene.server.lead().await, scene.server.lead().await];
        let places = leads.each_ref().map(|lead| format!("/panel/leads/{lead}/visitas"));
        let onces = [
            hidden(&his.get(&places[0]).await.panel(200), "vez"),
            hidden(&hers.get(&places[1]).await.panel(200), "vez"),
        ];
        let when = format!("2026-11-{day}T10:00");
        let fields = onces.each_ref().map(|once| {
            [
                ("vez", once.as_str()),
                ("persona", luis.as_str()),
                ("minutos", "60"),
                ("cuando", when.as_str()),
                ("hacer", "confirmar"),
            ]
        });
        let (a, b) = tokio::join!(his.post(&places[0], &fields[0]), hers.post(&places[1], &fields[1]));
        let mut ends = [a, b].map(|end| (end.status.as_u16(), end.text));
        ends.sort();
        assert_eq!((ends[0].0, ends[1].0), (303, 422), "{}", ends[0].1);
        let told = &ends[1].1;
        assert!(told.contains("Hay otra visita") && told.contains("aun-asi"), "{told}");
        assert!(!told.contains("ha cambiado mientras"), "it is not stale: {told}");
        let made = [visits_of(&scene, &leads[0]).await.len(), visits_of(&scene, &leads[1]).await.len()];
        assert_eq!(made.iter().sum::<usize>(), 1);
    }
}

async fn other_people_or_another_length_are_warned_of(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let eva = person(&scene, "Eva", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let (one, two) = (scene.server.lead().await, scene.server.lead().await);
    fix(&scene, &browser, &one, &luis, "2026-11-17T11:00").await;
    let second = fix(&scene, &browser, &two, &eva, "2026-11-17T09:00").await;
    let path = format!("/panel/visitas/{}/datos", second.id);
    let send = async |who: &str, minutes: &str, more: &[(&str, &str)]| {
        let revision = the_visit(&scene, &two).await.revision.to_string();
        let base = [("revision", revision.as_str()), ("persona", who), ("minutos", minutes)];
        browser.post(&path, &[&base[..], more].concat()).await
    };
    let long = send(&eva, "600", &[]).await.panel(422);
    assert!(!long.contains("aun-asi"), "what cannot be read is told first");
    let night = send(&eva, "420", &[]).await.panel(422);
    assert!(night.contains("fuera del horario") && night.contains("guardarlo de todas formas"), "{night}");
    assert!(night.contains("value=\"420\""), "what was typed is not lost");
    let two_people = send(&luis, "100", &[]).await.panel(422);
    assert!(two_people.contains("Hay otra visita"), "{two_people}");
    assert_eq!(the_visit(&scene, &two).await, second, "nothing was written");
    let done = format!("/panel/visitas/{}?hecho=datos", second.id);
    send(&luis, "100", &[("aun-asi", "si")]).await.to(&done);
    let kept = the_visit(&scene, &two).await;
    assert_eq!((kept.minutes, kept.people[0].to_string()), (100, luis.clone()));
    // A change that needs no other time does not ask about conflicts again.
    send(&luis, "100", &[("direccion", "Calle Mayor 1")]).await.to(&done);
}

async fn hours_that_are_typed_are_warned_of(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let (one, two) = (scene.server.lead().await, scene.server.lead().await);
    fix(&scene, &browser, &one, &luis, "2026-11-17T11:00").await;
    let place = format!("/panel/leads/{two}/visitas");
    let once = hidden(&browser.get(&place).await.panel(200), "vez");
    let base = [
        ("vez", once.as_str()),
        ("persona", luis.as_str()),
        ("minutos", "60"),
        ("hacer", "proponer"),
        ("otra", "2026-11-17T11:30"),
        ("otra", "2026-11-18T22:00"),
        ("otra", "2026-11-19T10:00"),
    ];
    let told = browser.post(&place, &base).await.panel(422);
    for line in
        ["mar 17 nov, 11:30. Hay otra visita", "mié 18 nov, 22:00. Cae fuera", "proponerlas de todas formas"]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("jue 19 nov, 10:00. ") && told.contains("value=\"2026-11-18T22:00\""), "{told}");
    assert!(visits_of(&scene, &two).await.is_empty());
    let anyway = [&base[..], &[("aun-asi", "si")]].concat();
    assert_eq!(browser.post(&place, &anyway).await.status.as_u16(), 303);
    let visita = the_visit(&scene, &two).await;
    assert_eq!(visita.slots.len(), 3);
    let path = format!("/panel/visitas/{}/proponer", visita.id);
    let again = [("revision", "1"), ("otra", "2026-11-17T11:00")];
    let told = browser.post(&path, &again).await.panel(422);
    assert!(told.contains("Hay otra visita") && told.contains("value=\"2026-11-17T11:00\""), "{told}");
    assert_eq!(the_visit(&scene, &two).await, visita);
    let anyway = [&again[..], &[("aun-asi", "si")]].concat();
    browser.post(&path, &anyway).await.to(&format!("/panel/visitas/{}?hecho=propuesta", visita.id));
    // Changing the people of proposed hours is checked for conflicts as well.
    let path = format!("/panel/visitas/{}/datos", visita.id);
    let longer = [("revision", "2"), ("persona", luis.as_str()), ("minutos", "90")];
    assert!(browser.post(&path, &longer).await.panel(422).contains("mar 17 nov, 11:00. Hay otra visita"));
}

async fn the_client_who_comes_second_reads_it_and_chooses_another(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let hours = ["2026-11-17T10:00", "2026-11-18T10:00"];
    let (one, two) = (scene.server.lead().await, scene.server.lead().await);
    let first = propose(&scene, &browser, &one, &luis, &hours).await;
    let second = propose(&scene, &browser, &two, &luis, &hours).await;
    let client = Browser::new(&scene);
    let pages = [&first, &second].map(|visita| scene.server.app.visits().page_path(visita));
    // Both pages show the same hours.
    for page in &pages {
        assert_eq!(client.get(page).await.text.matches("name=\"hora\"").count(), 2);
    }
    let wanted = first.slots[0].as_second().to_string();
    let choose = pages.each_ref().map(|page| format!("{page}/elegir"));
    let fields = [("hora", wanted.as_str())];
    let (a, b) = tokio::join!(client.post(&choose[0], &fields), client.post(&choose[1], &fields));
    let loser = usize::from(a.status.as_u16() == 303);
    let ends = [a, b];
    assert_eq!(ends[1 - loser].status.as_u16(), 303);
    assert_eq!(ends[loser].status.as_u16(), 409);
    let told = &ends[loser].text;
    assert!(told.contains("Esa hora ya no está libre"), "{told}");
    assert_eq!(told.matches("name=\"hora\"").count(), 1, "what is left: {told}");
    let left = first.slots[1].as_second().to_string();
    assert!(told.contains(&left) && !told.contains(&wanted), "{told}");
    client.post(&choose[loser], &[("hora", &left)]).await.to(&format!("{}?hecho=elegida", pages[loser]));
}

async fn a_pass_changes_a_visit_ten_times_a_day(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let visita = fix(&scene, &browser, &lead, &luis, "2026-11-20T10:00").await;
    let other = fix(&scene, &browser, &scene.server.lead().await, &luis, "2026-11-24T10:00").await;
    let client = Browser::new(&scene);
    let address = scene.server.app.visits().page_path(&visita);
    let choose = format!("{address}/elegir");
    let hours = ["2026-11-18T09:00:00Z", "2026-11-19T09:00:00Z"]
        .map(|at| at.parse::<jiff::Timestamp>().unwrap().as_second().to_string());
    for n in 0..10 {
        let agreed = the_visit(&scene, &lead).await.start.unwrap().as_second().to_string();
        let moved = client.post(&choose, &[("hora", &hours[n % 2]), ("desde", &agreed)]).await;
        assert_eq!(moved.status.as_u16(), 303, "{n}: {}", moved.text);
    }
    let before = the_visit(&scene, &lead).await;
    assert_eq!(before.sequence, 10);
    let refused = client.post(&choose, &[("hora", &hours[0])]).await;
    assert_eq!(refused.status.as_u16(), 429);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(client.post(&format!("{address}/cancelar"), &[]).await.status.as_u16(), 429);
    assert_eq!(the_visit(&scene, &lead).await, before);
    assert_eq!(client.get(&address).await.status.as_u16(), 200, "it can be looked at");
    let theirs = scene.server.app.visits().page_path(&other);
    client.post(&format!("{theirs}/cancelar"), &[]).await.to(&format!("{theirs}?hecho=cancelada"));
    scene.clock.advance(SignedDuration::from_hours(48));
    assert_ne!(client.post(&choose, &[("hora", &hours[0])]).await.status.as_u16(), 429);
}

async fn somebody_who_left_is_named_and_no_hours_are_offered(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let eva = person(&scene, "Eva", Role::Comercial).await;
    let browser = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let visita = propose(&scene, &browser, &lead, &eva.id.to_string(), &["2026-11-17T10:00"]).await;
    let path = format!("/panel/visitas/{}", visita.id);
    assert!(!browser.get(&path).await.panel(200).contains("ya no trabaja aquí"));
    let none = Change { is_admin: false, is_active: true, memberships: Vec::new() };
    scene.server.app.access().change_person(eva.id, none, &Actor::command()).await.unwrap();
    let shown = browser.get(&path).await.panel(200);
    assert!(shown.contains("Eva ya no trabaja aquí: cambia quién va."), "{shown}");
    let agree = [("revision", "1"), ("cuando", "2026-11-17T10:00")];
    let told = browser.post(&format!("{path}/confirmar"), &agree).await.panel(422);
    assert!(told.contains("Eva ya no trabaja aquí") && told.contains("aun-asi"), "{told}");
    let client = Browser::new(&scene);
    let address = scene.server.app.visits().page_path(&visita);
    let page = client.get(&address).await.text;
    assert!(page.contains("Llámanos") && !page.contains("name=\"hora\""), "{page}");
    let hour = visita.slots[0].as_second().to_string();
    let denied = client.post(&format!("{address}/elegir"), &[("hora", &hour)]).await;
    assert_eq!(denied.status.as_u16(), 409);
    assert!(denied.text.contains("Llámanos"), "{}", denied.text);
    assert_eq!(the_visit(&scene, &lead).await, visita);
}

async fn words_fit_their_numbers_and_times(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Gestor).await.id.to_string();
    let browser = signed(&scene, "Luis").await;
    let one = scene.server.lead().await;
    propose(&scene, &browser, &one, &luis, &["2026-11-17T10:00"]).await;
    let list = browser.get("/panel/visitas?vista=lista").await.panel(200);
    assert!(list.contains("1 hora propuesta") && !list.contains("1 horas"), "{list}");
    let page = browser.get(&format!("/panel/leads/{one}")).await.panel(200);
    assert!(page.contains("propuesta con una hora para elegir"), "{page}");
    let made = log(&scene, AuditAction::VisitaCreated).await.remove(0).after.unwrap();
    assert!(made.ends_with("1 persona"), "{made}");

    let visita = fix(&scene, &browser, &scene.server.lead().await, &luis, "2026-11-20T10:00").await;
    let address = scene.server.app.visits().page_path(&visita);
    let client = Browser::new(&scene);
    let limit = async |hours: &str| {
        let path = "/panel/visitas/ajustes";
        let browser = signed(&scene, "Luis").await;
        let version = hidden(&browser.get(path).await.panel(200), "version");
        let fields = [("version", version.as_str()), ("limite", hours), ("minutos", "60"), ("huso", "")];
        browser.post(path, &fields).await.to(&format!("{path}?hecho"));
    };
    let says = async |words: &str| {
        let page = client.get(&address).await.text;
        assert!(page.contains(words), "{words}: {page}");
        assert!(!page.contains(" 0 horas") && !page.contains(" 1 horas") && !page.contains("te esperamos"));
    };
    says("hasta 24 horas antes").await;
    limit("1").await;
    says("hasta una hora antes").await;
    limit("0").await;
    says("hasta que empiece").await;
    limit("1").await;
    scene.clock.advance(
        scene.server.app.now().duration_until(visita.start.unwrap()) - SignedDuration::from_mins(30),
    );
    says("falta menos de una hora").await;
    limit("0").await;
    says("hasta que empiece").await;
    scene.clock.advance(SignedDuration::from_mins(40));
    says("ya ha empezado").await;
    limit("24").await;
    scene.clock.advance(SignedDuration::from_hours(30));
    says("Esta visita ya ha pasado").await;
    assert!(!client.get(&address).await.text.contains("faltan menos"));
}

/// An id in a form is looked up only within the company, so no page shows the name of another company's person.
async fn people_of_other_companies_are_nobody_here(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = another_company(&scene).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await.id.to_string();
    let stranger = add(&scene, "ajena@ejemplo.es", Some(Role::Comercial), Some(other.id)).await;
    let rename = embudo_store::users::UserPatch { nombre: Some("Nombre Ajeno".into()), ..Default::default() };
    let audit = scene.server.app.access().audit(&Actor::command(), AuditAction::NameChanged);
    scene.server.app.store.update_user(stranger.id, rename, audit).await.unwrap();
    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let lead = scene.server.lead().await;
    let place = format!("/panel/leads/{lead}/visitas");
    let once = hidden(&browser.get(&place).await.panel(200), "vez");
    let foreign = stranger.id.to_string();
    for what in ["buscar", "confirmar", "proponer"] {
        let fields = [
            ("vez", once.as_str()),
            ("persona", &foreign),
            ("minutos", "60"),
            ("hacer", what),
            ("cuando", ""),
        ];
        let page = browser.post(&place, &fields).await;
        assert!([200, 422].contains(&page.status.as_u16()), "{what}");
        assert!(
            !page.text.contains("Nombre Ajeno") && !page.text.contains(&foreign),
            "{what}: {}",
            page.text
        );
        assert!(
            what == "buscar" || page.text.contains("no trabaja en esta empresa"),
            "{what}: {}",
            page.text
        );
    }
    let visita = fix(&scene, &browser, &lead, &luis, "2026-11-18T10:00").await;
    let path = format!("/panel/visitas/{}/datos", visita.id);
    for revision in [visita.revision.to_string(), "999".to_owned()] {
        let fields = [("revision", revision.as_str()), ("persona", &foreign), ("minutos", "60")];
        let page = browser.post(&path, &fields).await;
        assert!(page.status.is_client_error(), "{}", page.status);
        assert!(!page.text.contains("Nombre Ajeno") && !page.text.contains(&foreign), "{}", page.text);
    }
}
