//! A name of a million characters, which the API allows. No page or mail contains all of it, except the lead's page on
//! demand.

use embudo_domain::LeadId;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::person::{Browser, PanelPage as _, add};

/// The length of the name, and of every other text.
const NAME: usize = 1_000_000;
const TEXT: usize = 200_000;
/// Every page must be shorter than this, not counting a text that was asked for whole.
const PAGE: usize = 150_000;

both_engines!(
    pages_carry_the_beginning_of_a_name,
    the_whole_is_on_the_leads_page_for_who_asks,
    a_long_text_stays_whole_while_another_is_edited,
);

fn name() -> String {
    format!("Ximena{}", "ñ".repeat(NAME))
}

fn long(start: &str) -> String {
    format!("{start}{}", "x".repeat(TEXT))
}

/// A lead with a quote, whose texts are all long.
async fn endless(scene: &Scene) -> (LeadId, Presupuesto) {
    let lead = scene
        .server
        .lead_with(json!({
            "nombre": name(), "provincia": long("Soria"), "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media",
            "estilo": long("Rústico"), "botStep": long("paso"), "utm": { "utm_campaign": long("banos") },
            "consentimientos": [{ "finalidad": long("ofertas"), "canal": long("correo"), "textoVersion": long("2026"), "fuente": long("web") }],
        }))
        .await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let lead = LeadId::parse(&lead).unwrap();
    let quote = scene.server.app.store.presupuestos(lead).await.unwrap().remove(0);
    scene.server.app.housekeeping().project_touched().await.unwrap();
    (lead, quote)
}

async fn signed(scene: &Scene) -> Browser<'_> {
    add(scene, "marta@ejemplo.es", Some(Role::Administrador), None).await;
    Browser::signed(scene, "marta@ejemplo.es").await
}

async fn pages_carry_the_beginning_of_a_name(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = signed(&scene).await;
    let (lead, quote) = endless(&scene).await;
    let (twin, _) = endless(&scene).await;
    let form = format!("/f/{}/{}", scene.server.empresa.slug, scene.server.app.form_passes().to_form(lead));
    scene.server.app.forms().completed(lead).await.unwrap();
    let pages = [
        "/panel/leads".to_owned(),
        "/panel/leads?vista=tablero".to_owned(),
        "/panel/leads?q=ximena".to_owned(),
        format!("/panel/leads/{lead}"),
        format!("/panel/leads/{lead}/persona"),
        format!("/panel/leads/{lead}/unir?con={twin}"),
        format!("/panel/leads/{lead}/visitas"),
        "/panel/presupuestos".to_owned(),
        format!("/panel/presupuestos/{}", quote.id),
        "/panel/envios".to_owned(),
        "/panel/visitas".to_owned(),
        "/panel/visitas/nueva".to_owned(),
        "/panel/resumen".to_owned(),
        "/panel/registro".to_owned(),
        "/panel/sistema".to_owned(),
        scene.server.app.quotes().page_path(quote.id),
        format!("{form}/contacto"),
        format!("{form}/calidad"),
        format!("{form}/resumen"),
        format!("{form}/gracias"),
    ];
    let mut named = 0;
    for page in &pages {
        let answer = browser.get(page).await;
        assert!(answer.status.is_success(), "{page}: {}", answer.status);
        assert!(answer.text.len() < PAGE, "{page}: {} bytes", answer.text.len());
        named += usize::from(answer.text.contains("Ximenañ"));
    }
    assert!(named >= 10, "the name is told, in {named} of {} pages", pages.len());
}

async fn the_whole_is_on_the_leads_page_for_who_asks(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = signed(&scene).await;
    let (lead, _) = endless(&scene).await;
    let base = format!("/panel/leads/{lead}");
    let page = browser.get(&base).await.panel(200);
    for (fact, text) in [("nombre", name()), ("provincia", long("Soria")), ("estilo", long("Rústico"))] {
        let address = format!("{base}?entero={fact}");
        assert!(page.contains(&format!("href=\"{address}#")), "{fact}");
        let whole = browser.get(&address).await.panel(200);
        assert_eq!(whole.matches(&text).count(), 1, "once, in its place");
        assert!(whole.len() < text.len() + PAGE, "and nothing else: {}", whole.len());
    }
    let other = browser.get(&format!("{base}?entero=otro")).await.panel(200);
    assert!(other.len() < PAGE);
}

/// A form shows only the beginning of a long text. Sending that beginning back keeps the whole text; other text
/// replaces it.
async fn a_long_text_stays_whole_while_another_is_edited(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = signed(&scene).await;
    let (id, _) = endless(&scene).await;
    let (base, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/datos"));
    let page = browser.get(&base).await.panel(200);
    assert!(page.contains("Aquí solo cabe el principio"));
    let of = |page: &str, field: &str| {
        let start = page.split(&format!("id=\"d-{field}\"")).nth(1).unwrap();
        if field == "provincia" {
            let chosen = start.split("\" selected>").next().unwrap();
            return chosen.rsplit("value=\"").next().unwrap().to_owned();
        }
        start.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let send = async |page: &str, changed: (&str, &str)| {
        let version = page.split("value=\"contacto\"").nth(1).unwrap();
        let version = crate::visitor::hidden(version, "version");
        let fields = ["nombre", "telefono", "email", "codigoPostal", "provincia"].map(|f| (f, of(page, f)));
        let mut sent = vec![("grupo", "contacto"), ("version", version.as_str())];
        sent.extend(fields.iter().map(|(name, value)| (*name, value.as_str())));
        sent.push(changed);
        browser.post(&place, &sent).await.to(&format!("{base}?hecho=datos#contacto"));
        scene.server.app.store.lead(id).await.unwrap()
    };
    let lead = send(&page, ("telefono", "699 11 22 33")).await;
    assert_eq!((lead.telefono_e164.as_str(), lead.nombre == name()), ("+34699112233", true));
    assert!(lead.provincia.is_some_and(|place| place == long("Soria")));
    let page = browser.get(&base).await.panel(200);
    let lead = send(&page, ("nombre", "Ximena Roldán")).await;
    assert_eq!(lead.nombre, "Ximena Roldán");
    assert!(lead.provincia.is_some_and(|place| place == long("Soria")));
}
