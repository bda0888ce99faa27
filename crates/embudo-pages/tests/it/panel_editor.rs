//! The amounts that the editor shows while a person types: every amount follows from the typed values.

use embudo_domain::presupuesto::draft::DraftLine;
use embudo_testkit::{Engine, Scene, both_engines};

use crate::panel_quotes::{a_draft, line, save, seller};
use crate::person::PanelPage as _;

both_engines!(every_figure_follows_what_was_typed, the_bar_tells_whether_it_is_saved);

/// The text of the page at the place of an amount.
fn figure<'a>(page: &'a str, name: &str) -> &'a str {
    let place = format!("data-cifra=\"{name}\">");
    let (_, after) = page.split_once(&place).unwrap_or_else(|| panic!("no {name} in {page}"));
    after.split_once("</span>").expect("it ends").0
}

fn of(line: &DraftLine, part: &str) -> String {
    format!("linea.{}.{part}", line.id)
}

async fn every_figure_follows_what_was_typed(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let first = line(&scene, lead, 0).await;
    let (cantidad, precio, importe) = (of(&first, "cantidad"), of(&first, "precio"), of(&first, "importe"));
    let auto = async |fields: &[(&str, &str)]| {
        let mut all = vec![("accion", "auto")];
        all.extend_from_slice(fields);
        save(&scene, &browser, lead, &place, &all).await
    };
    let saved = auto(&[(&cantidad, "1"), (&precio, "2.000")]).await;
    assert_eq!(saved.status.as_u16(), 200);
    assert_eq!(figure(&saved.text, &importe), "2.000,00\u{a0}€");
    // A page that is loaded again shows the same amounts.
    let page = browser.get(&place).await.panel(200);
    let figures = |text: &str| text.matches("data-cifra=").count();
    assert_eq!(figures(&page), figures(&saved.text));
    for name in [importe.as_str(), "suma.capitulo.1.0"] {
        assert_eq!(figure(&page, name), figure(&saved.text, name), "{name}");
    }
    // A discount and an option: the total of the chapter does not include the option.
    let before = figure(&saved.text, "suma.capitulo.1.0").to_owned();
    let saved = auto(&[(&of(&first, "descuento"), "10")]).await;
    assert_eq!(figure(&saved.text, &importe), "1.800,00\u{a0}€");
    assert_ne!(figure(&saved.text, "suma.capitulo.1.0"), before);
    assert!(figure(&saved.text, &of(&first, "marcas")).contains("−10"), "{}", saved.text);
    let saved = auto(&[(&of(&first, "opcional"), "si")]).await;
    assert!(saved.text.contains("Opción: ") && saved.text.contains("+1.980,00\u{a0}€"), "{}", saved.text);
    // With a value that cannot be read, neither the line nor the total has an amount.
    let wrong = auto(&[(&precio, "x")]).await;
    assert_eq!(wrong.status.as_u16(), 422);
    assert_eq!(figure(&wrong.text, &importe), "–");
    assert!(wrong.text.contains("data-total=\"–\""), "{}", wrong.text);
}

async fn the_bar_tells_whether_it_is_saved(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let bar = |page: &str| page.split_once("class=\"editor-barra\"").expect("it has a bar").1.to_owned();
    let page = bar(&browser.get(&place).await.panel(200));
    assert!(page.contains("data-estado=\"guardado\"") && page.contains("Guardado: "), "{page}");
    assert!(page.contains("data-total-barra"), "{page}");
    let precio = of(&line(&scene, lead, 0).await, "precio");
    save(&scene, &browser, lead, &place, &[(&precio, "10"), ("accion", "guardar")]).await;
    let late = browser.post(&place, &[("revision", "1"), (&precio, "11"), ("accion", "guardar")]).await;
    assert_eq!(late.status.as_u16(), 409);
    let page = bar(&late.text);
    assert!(page.contains("data-estado=\"sin-guardar\"") && page.contains("otra persona"), "{page}");
}
