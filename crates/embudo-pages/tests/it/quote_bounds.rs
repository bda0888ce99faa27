//! A quote holds a limited number of lines and a limited length of text: the editor says so while a person types, and
//! nothing larger is drawn.

use embudo_domain::LeadId;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::Draft;
use embudo_domain::presupuesto::draft::DraftLine;
use embudo_store::drafts::{DraftChange, SaveDraft, SeenDraft};
use embudo_testkit::{Engine, Scene, both_engines};

use crate::panel_quotes::{a_draft, line, save, seller, with_identity};
use crate::person::PanelPage as _;

both_engines!(the_editor_says_what_does_not_fit, previews_of_one_person_take_turns);

/// Puts this number of lines of this length into the lead's draft.
async fn with_lines(scene: &Scene, lead: LeadId, lines: usize, detail: usize) {
    let store = &scene.server.app.store;
    let stored = store.draft_of(lead).await.unwrap().unwrap();
    let mut draft = Draft::read(stored.json.as_bytes()).unwrap();
    let all = &mut draft.rooms[0].capitulos[0].lines;
    all.retain(|line| !line.id.starts_with("prueba-"));
    all.extend((0..lines).map(|n| DraftLine {
        id: format!("prueba-{n}"),
        concepto: format!("Partida {n}"),
        detail: (detail > 0).then(|| "x".repeat(detail)),
        precio: Cents(1_000),
        ..DraftLine::default()
    }));
    let seen = SeenDraft { id: stored.id, lead, revision: stored.revision };
    let json = serde_json::to_string(&draft).unwrap();
    let saved = store
        .save_draft(SaveDraft { seen, json, by: None, at: scene.server.app.now(), audit: None })
        .await
        .unwrap();
    assert!(matches!(saved, DraftChange::Done(_)));
}

async fn the_editor_says_what_does_not_fit(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let name = format!("linea.{}.precio", line(&scene, lead, 0).await.id);
    for (lines, detail, told) in
        [(1_622, 1_500, "Caben 300 partidas como máximo, y hay 1"), (100, 1_000, "bytes y caben 60000")]
    {
        with_lines(&scene, lead, lines, detail).await;
        let typed = save(&scene, &browser, lead, &place, &[(&name, "10"), ("accion", "auto")]).await;
        assert_eq!(typed.status.as_u16(), 200, "what is typed is kept: {}", typed.text);
        assert!(typed.text.contains(told), "{told}: {}", typed.text);
        browser.get(&format!("{place}/pdf")).await.to(&format!("{place}/enviar"));
        let page = browser.get(&format!("{place}/enviar")).await.panel(200);
        assert!(page.contains(told) && !page.contains("Enviar presupuesto</button>"), "{page}");
        let revision = scene.server.app.store.draft_of(lead).await.unwrap().unwrap().revision.to_string();
        browser.post(&format!("{place}/enviar"), &[("revision", &revision)]).await.panel(422);
    }
    with_lines(&scene, lead, 200, 100).await;
    let typed = save(&scene, &browser, lead, &place, &[(&name, "11"), ("accion", "auto")]).await;
    assert!(!typed.text.contains("Falta por corregir"), "{}", typed.text);
    assert_eq!(browser.get(&format!("{place}/pdf")).await.status.as_u16(), 200);
}

async fn previews_of_one_person_take_turns(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (_, place) = a_draft(&scene, &browser).await;
    let path = format!("{place}/pdf");
    let six = futures_util::future::join_all((0..6).map(|_| browser.get(&path))).await;
    let statuses: Vec<u16> = six.iter().map(|answer| answer.status.as_u16()).collect();
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    assert!(statuses.iter().filter(|status| **status == 200).count() >= 2, "{statuses:?}");
    for busy in six.iter().filter(|answer| answer.status.as_u16() == 429) {
        assert!(busy.header("retry-after").is_some());
    }
    assert_eq!(browser.get(&path).await.status.as_u16(), 200, "and then the next one is drawn");
}
