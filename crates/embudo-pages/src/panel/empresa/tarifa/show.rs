//! `/panel/empresa/tarifa`: the prices in force or those of another version, and the list of versions.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use embudo_domain::Zona;
use embudo_domain::decimal::Percentage;
use embudo_domain::perfil::Calidad;
use embudo_domain::tarifa::{DEFAULT_TEXT, Partida, PartidaPrice, Recargo, Tarifa, diff};
use embudo_domain::words;
use embudo_store::empresas::TarifaVersion;
use http::{StatusCode, Uri};

use super::factors::Factors;
use super::{PATH, Shelf, TABS, Tabs, Wanted, Which, asked, frame, is_shipped, shipped};
use crate::WebState;
use crate::panel::kit::choices::{CALIDADES, Choice, ZONAS};
use crate::panel::kit::spreadsheet::file;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, private_page, read_fields};

/// The maximum number of items on the page. Other items are found with the search.
const MAX_ITEMS: usize = 150;
/// The maximum number of listed versions.
const MAX_VERSIONS: usize = 60;

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/show.html")]
struct TarifaPage {
    frame: PanelFrame,
    tabs: Tabs,
    done: Option<&'static str>,
    shown: Shown,
    versions: Vec<Version>,
    more_versions: usize,
    q: String,
    kind: String,
    /// How many items match the search, and how many are shown.
    found: usize,
    listed: usize,
    chapters: Vec<Chapter>,
    recargos: Vec<(String, String)>,
    factors: Factors,
}

impl TarifaPage {
    fn zonas(&self) -> &'static [Choice] {
        ZONAS
    }

    fn base(&self) -> &'static str {
        PATH
    }
}

/// The version that the page shows.
struct Shown {
    /// The name in addresses.
    word: String,
    name: String,
    sentence: String,
    notas: String,
    holds: bool,
}

/// A line in the list of versions.
struct Version {
    word: String,
    name: String,
    since: String,
    state: &'static str,
    class: &'static str,
    is_shown: bool,
    holds: bool,
    can_go: bool,
}

struct Chapter {
    name: String,
    items: Vec<Item>,
}

struct Item {
    key: String,
    concepto: String,
    unit: &'static str,
    prices: Vec<Price>,
    quantity: String,
    kinds: String,
    rooms: String,
    source: Option<(String, Option<String>)>,
    /// Whether the company set the prices of this item.
    own: bool,
    /// Whether the item came with the program.
    is_shipped: bool,
}

struct Price {
    name: &'static str,
    precio: Option<String>,
    material: String,
    /// The cost for the company, and the margin as a percentage of the price.
    coste: Option<(String, String)>,
    detail: Option<String>,
}

/// `GET /panel/empresa/tarifa?version=…&tipo=…&q=…`.
pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let (which, table) = looked_at(&state, &shelf, &query).await?;
    let holding = shelf.holding(shelf.today);
    let (q, kind) = (asked(&query.text("q")), Zona::parse(query.raw("tipo")));
    let (chapters, found) = chapters(&table, &Wanted::new(&q), kind);
    let listed = chapters.iter().map(|c| c.items.len()).sum();
    let page = TarifaPage {
        frame: frame(&state, &signed, "Tarifa").await?,
        tabs: TABS,
        done: match query.raw("hecho") {
            "guardada" => Some("Versión guardada. Vale para los presupuestos desde su día."),
            "retirada" => Some("Versión retirada. Nada la había usado."),
            "no-retirada" => Some("Esa versión ya no se puede retirar: ha entrado en vigor, o ya no está."),
            _ => None,
        },
        shown: shown(&shelf, &which, &table, which == holding),
        more_versions: shelf.versions.len().saturating_sub(MAX_VERSIONS),
        versions: versions(&state, &shelf, &which),
        q,
        kind: kind.map(|kind| kind.to_string()).unwrap_or_default(),
        found,
        listed,
        chapters,
        recargos: table.recargos().iter().map(recargo).collect(),
        factors: Factors::of(&table),
    };
    Ok(private_page(StatusCode::OK, &page))
}

async fn looked_at(state: &WebState, shelf: &Shelf, query: &FormFields) -> Result<(Which, Tarifa), Refusal> {
    match query.raw("version") {
        "" => shelf.table_of(state, shelf.today).await,
        word => {
            let which = Which::parse(word);
            let table = shelf.table(state, &which).await?;
            Ok((which, table))
        }
    }
}

fn shown(shelf: &Shelf, which: &Which, table: &Tarifa, holds: bool) -> Shown {
    let since = match which {
        Which::Shipped => None,
        Which::Own(version) => shelf.find(version).map(|v| v.since),
    };
    let whose = match which {
        Which::Shipped => "la que viene con el programa",
        Which::Own(_) => "tuya",
    };
    let sentence = match (since, holds) {
        (None, true) => format!("En vigor: {whose}, hasta que guardes una tuya."),
        (None, false) => format!("No está en vigor: es {whose}."),
        (Some(since), true) => format!("En vigor desde el {}; es {whose}.", words::day(since)),
        (Some(since), false) if since > shelf.today => {
            format!("Aún no está en vigor: vale desde el {}; es {whose}.", words::day(since))
        }
        (Some(since), false) => {
            format!("Ya no está en vigor: valía desde el {}; es {whose}.", words::day(since))
        }
    };
    Shown {
        word: which.word().to_owned(),
        name: which.name(),
        sentence,
        notas: table.notas().to_owned(),
        holds,
    }
}

fn versions(state: &WebState, shelf: &Shelf, shown: &Which) -> Vec<Version> {
    let holding = shelf.holding(shelf.today);
    let row = |which: Which, since: Option<jiff::civil::Date>| {
        let (holds, is_future) = (which == holding, since.is_some_and(|since| since > shelf.today));
        let (state_words, class) = match (holds, is_future) {
            (true, _) => ("En vigor", "ficha-bien"),
            (false, true) => ("Futura", "ficha-ojo"),
            (false, false) if since.is_none() => ("De serie", ""),
            (false, false) => ("Anterior", ""),
        };
        Version {
            word: which.word().to_owned(),
            name: which.name(),
            since: since.map(|since| format!("desde el {}", words::day(since))).unwrap_or_default(),
            state: state_words,
            class,
            is_shown: which == *shown,
            holds,
            can_go: since.is_some_and(|since| state.app.tarifas().is_withdrawable(since)),
        }
    };
    let own = |v: &TarifaVersion| row(Which::Own(v.version.clone()), Some(v.since));
    let own = shelf.versions.iter().take(MAX_VERSIONS).map(own);
    own.chain([row(Which::Shipped, None)]).collect()
}

/// The items that match, by chapter, and their number.
fn chapters(table: &Tarifa, wanted: &Wanted, kind: Option<Zona>) -> (Vec<Chapter>, usize) {
    let (mut found, mut chapters) = (0, Vec::new());
    for capitulo in table.capitulos() {
        let fits = |p: &&Partida| {
            p.capitulo == capitulo.key
                && kind.is_none_or(|kind| p.kinds.contains(&kind))
                && wanted.has(p, &capitulo.nombre)
        };
        let items: Vec<&Partida> = table.partidas().iter().filter(fits).collect();
        let room = MAX_ITEMS.saturating_sub(found);
        found += items.len();
        if !items.is_empty() && room > 0 {
            let items = items.into_iter().take(room).map(|p| item(table, p)).collect();
            chapters.push(Chapter { name: capitulo.nombre.clone(), items });
        }
    }
    (chapters, found)
}

fn item(table: &Tarifa, p: &Partida) -> Item {
    let names = |all: Vec<&str>| all.join(", ");
    let only = names(p.only_in.iter().map(|e| e.as_str()).collect());
    let except = names(p.not_in.iter().map(|e| e.as_str()).collect());
    let mut rooms = Vec::new();
    if !only.is_empty() {
        rooms.push(format!("solo en {only}"));
    }
    if !except.is_empty() {
        rooms.push(format!("salvo en {except}"));
    }
    if p.only_estructural {
        rooms.push("solo con obra estructural".to_owned());
    }
    Item {
        key: p.key.clone(),
        concepto: p.concepto.clone(),
        unit: p.unidad.symbol(),
        prices: CALIDADES
            .iter()
            .map(|(code, name)| price(name, table, p, Calidad::parse(code).and_then(|c| p.precio(c))))
            .collect(),
        quantity: p.cantidad.to_string(),
        own: p.own,
        is_shipped: is_shipped(&p.key),
        kinds: match p.kinds.as_slice() {
            [] => "ninguna obra por sí sola: se añade a mano".to_owned(),
            kinds => names(kinds.iter().map(|k| k.label()).collect()),
        },
        rooms: rooms.join(", "),
        source: p.source.as_ref().map(|s| {
            let year = s.published.map(|year| format!(" ({year})")).unwrap_or_default();
            (format!("{}{year}", s.text), s.link.clone())
        }),
    }
}

fn price(name: &'static str, table: &Tarifa, p: &Partida, price: Option<&PartidaPrice>) -> Price {
    let coste = price.and_then(|price| Some((table.coste(p, price, price.precio)?, price.precio)));
    Price {
        name,
        coste: coste.map(|(coste, precio)| {
            let left = diff::change(precio, coste).map(|part| Percentage(-part.0).to_string());
            (coste.to_string(), left.unwrap_or_default())
        }),
        precio: price.map(|p| p.precio.to_string()),
        material: price.map(|p| p.material.to_string()).unwrap_or_default(),
        detail: price.and_then(|p| p.detail.clone()),
    }
}

fn recargo(r: &Recargo) -> (String, String) {
    let floors =
        r.floors.map(|f| format!(" por planta, de la {} a la {}", f.first, f.last)).unwrap_or_default();
    (r.concepto.clone(), format!("{}{floors}", r.percentage))
}

/// `GET /panel/empresa/tarifa/exportar?version=…&formato=…`: the stored TOML file, or its items as CSV.
pub(crate) async fn export(
    State(state): State<WebState>,
    signed: Signed,
    uri: Uri,
) -> Result<Response, Refusal> {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let which = match query.raw("version") {
        "" => shelf.holding(shelf.today),
        word => Which::parse(word),
    };
    let (name, text) = match which {
        Which::Shipped => (shipped().version().to_owned(), DEFAULT_TEXT.to_owned()),
        Which::Own(version) => {
            let stored = state.app.store.tarifa(shelf.empresa, version).await?.ok_or(Refusal::NotFound)?;
            (stored.version, stored.text)
        }
    };
    if query.raw("formato") != "csv" {
        return Ok(file(Body::from(text), "application/toml; charset=utf-8", &format!("tarifa-{name}.toml")));
    }
    let table = state.app.tarifas().read(text).await?.map_err(|_| Refusal::NotFound)?;
    Ok(file(Body::from(table.csv()), "text/csv; charset=utf-8", &format!("tarifa-{name}.csv")))
}
