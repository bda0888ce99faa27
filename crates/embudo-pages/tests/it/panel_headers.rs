//! The headers of responses, and the company whose look a refusal has.

use embudo_app::Pass;
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_quotes::{a_draft, save, seller};
use crate::person::{Browser, PanelPage as _, add, another_company, panel};

both_engines!(
    fragments_carry_the_policy_of_pages,
    every_answer_says_that_it_is_what_it_says,
    a_query_of_another_site_does_not_show_in_a_length,
    a_refusal_shows_the_visitors_own_company,
);

async fn fragments_carry_the_policy_of_pages(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let fragment = save(&scene, &browser, lead, &place, &[("accion", "auto")]).await;
    assert!(fragment.text.starts_with("<div id=\"cuentas\""), "{}", fragment.text);
    let range = browser.get("/f/reformas-pena/rango?tipo=bano&m2=5").await;
    let refused = browser.send(browser.form(&place, &[]).header("accept", "application/json")).await;
    for answer in [&fragment, &range, &refused] {
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
    }
}

async fn every_answer_says_that_it_is_what_it_says(engine: Engine) {
    let scene = panel(engine).await;
    let lead = scene.server.lead().await;
    let browser = Browser::new(&scene);
    let known = scene.server.get(&format!("/api/leads/{lead}")).await;
    assert_eq!(known.status.as_u16(), 200);
    assert_eq!(known.header("x-content-type-options"), Some("nosniff"));
    for (path, status) in [
        ("/healthz", 200),
        ("/readyz", 200),
        ("/openapi.json", 200),
        ("/docs", 200),
        ("/api/leads", 401),
        ("/nada", 404),
        ("/panel/entrar", 200),
        ("/panel/nada", 404),
        ("/fotos/x/y", 404),
    ] {
        let answer = browser.get(path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
}

/// Another site may open the inbox with a search of its choice. The length of a compressed page would tell whether the
/// text is in it.
async fn a_query_of_another_site_does_not_show_in_a_length(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    for (path, site, is_packed) in [
        ("/panel/leads?q=ana", "same-origin", true),
        ("/panel/leads?q=ana", "none", true),
        ("/panel/leads?q=ana", "cross-site", false),
        ("/panel/leads?q=ana", "same-site", false),
        ("/panel/leads", "cross-site", true),
    ] {
        let request = browser.ask(path).header("accept-encoding", "gzip").header("sec-fetch-site", site);
        let answer = browser.send(request).await;
        assert_eq!(answer.status.as_u16(), 200, "{path} {site}");
        assert_eq!(answer.header("content-encoding"), is_packed.then_some("gzip"), "{path} {site}");
    }
}

async fn a_refusal_shows_the_visitors_own_company(engine: Engine) {
    let scene = panel(engine).await;
    let other = another_company(&scene).await;
    let foreign = scene.server.lead().await;
    add(&scene, "sol@ejemplo.es", Some(Role::Lectura), Some(other.id)).await;
    let browser = Browser::signed(&scene, "sol@ejemplo.es").await;
    for (path, status) in [
        (format!("/panel/leads/{foreign}"), 404),
        ("/panel/usuarios".to_owned(), 403),
        ("/panel/no-hay-nada".to_owned(), 404),
    ] {
        let page = browser.get(&path).await.panel(status);
        assert!(page.contains("Baños Sol") && !page.contains("Reformas Peña"), "{path}: {page}");
    }

    // An expired link still belongs to its company.
    let lead = scene.server.lead_with(json!({ "tenantId": other.id })).await;
    let lead = embudo_domain::LeadId::parse(&lead).unwrap();
    let passes = &scene.server.app.outbound.passes;
    let ends = Some(scene.server.app.now() + SignedDuration::from_secs(1));
    let old = passes.write(Pass::Consentimientos(lead), ends);
    scene.clock.advance(SignedDuration::from_secs(2));
    let client = Browser::new(&scene);
    let page = client.get(&format!("/c/{old}")).await;
    assert_eq!(page.status.as_u16(), 410, "{}", page.text);
    assert!(page.text.contains("Baños Sol") && !page.text.contains("Reformas Peña"), "{}", page.text);
    let stranger = client.get("/c/falso").await;
    assert!(stranger.text.contains("Reformas Peña"), "{}", stranger.text);
}
