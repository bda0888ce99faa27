//! `/panel/empresa/tarifa…`: the company's prices, looked at and made into the next version.
//!
//! A version never changes, because quotes name it. What somebody prepares is kept nowhere but in their form: which
//! version it starts from and the changes to it ([`edits`]), or a file. Nothing half done is stored, and nobody waits
//! for another; the one who saves later is shown what came meanwhile ([`review`]).

mod changes;
pub(in crate::panel) mod compare;
pub(in crate::panel) mod editor;
mod edits;
mod factors;
pub(in crate::panel) mod import;
mod item_fields;
mod new_item;
mod posted;
mod proposal;
mod review;
pub(in crate::panel) mod review_save;
mod sample;
pub(in crate::panel) mod show;
pub(in crate::panel) mod withdraw;

use embudo_domain::EmpresaId;
use embudo_domain::tarifa::{Partida, Tarifa};
use embudo_store::empresas::TarifaVersion;
use jiff::civil::Date;

use super::Tabs;
use crate::WebState;
use crate::panel::kit::form::fingerprint;
use crate::panel::{PanelFrame, Signed};
use crate::parts::Refusal;

pub(super) const PATH: &str = "/panel/empresa/tarifa";
/// How an address names the shipped table; no version can be called so.
const SHIPPED: &str = "_serie";
const STYLES: &[&str] = &["empresa.css", "tarifa.css"];
const TABS: Tabs = Tabs { here: PATH };

/// Which table.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Which {
    Shipped,
    Own(String),
}

impl Which {
    fn parse(text: &str) -> Self {
        if text == SHIPPED { Self::Shipped } else { Self::Own(text.to_owned()) }
    }

    /// As an address names it; nothing in it needs escaping.
    fn word(&self) -> &str {
        match self {
            Self::Shipped => SHIPPED,
            Self::Own(version) => version,
        }
    }

    /// As people call it.
    fn name(&self) -> String {
        match self {
            Self::Shipped => format!("{} (de serie)", shipped().version()),
            Self::Own(version) => version.clone(),
        }
    }
}

/// What a company has.
struct Shelf {
    empresa: EmpresaId,
    today: Date,
    /// The latest day first.
    versions: Vec<TarifaVersion>,
    /// Whether the levels of provinces move the company's own prices.
    scales_own: bool,
}

impl Shelf {
    async fn of(state: &WebState, signed: &Signed) -> Result<Self, Refusal> {
        let empresa = signed.empresa()?.id;
        let versions = state.app.tarifas().versions(empresa).await?;
        let scales_own = state.app.store.settings(empresa).await?.scales_own_prices;
        Ok(Self { empresa, today: state.app.today(), versions, scales_own })
    }

    /// Which table holds on a day.
    fn holding(&self, day: Date) -> Which {
        let holds = self.versions.iter().find(|v| v.since <= day);
        holds.map_or(Which::Shipped, |v| Which::Own(v.version.clone()))
    }

    /// The table that holds on a day; the shipped one where that of the company no longer reads, as quotes do.
    async fn table_of(&self, state: &WebState, day: Date) -> Result<(Which, Tarifa), Refusal> {
        let which = self.holding(day);
        match self.table(state, &which).await {
            Ok(table) => Ok((which, table)),
            Err(Refusal::NotFound) => Ok((Which::Shipped, shipped())),
            Err(other) => Err(other),
        }
    }

    async fn table(&self, state: &WebState, which: &Which) -> Result<Tarifa, Refusal> {
        match which {
            Which::Shipped => Ok(shipped()),
            Which::Own(version) => {
                let found = state.app.tarifas().find(self.empresa, version).await?;
                Ok(found.ok_or(Refusal::NotFound)?.scaling_own(self.scales_own))
            }
        }
    }

    fn find(&self, version: &str) -> Option<&TarifaVersion> {
        self.versions.iter().find(|v| v.version == version)
    }

    /// What a form carries to know later that others came.
    fn fingerprint(&self) -> String {
        let all: Vec<String> = self.versions.iter().map(|v| format!("{} {}", v.version, v.since)).collect();
        fingerprint(&all.join("\n"))
    }

    /// A name that no version has: of those that are the year and a number the next.
    fn fresh_name(&self) -> String {
        let year = format!("{}.", self.today.year());
        let number = |name: &str| name.strip_prefix(&year)?.parse::<u32>().ok();
        let own = self.versions.iter().filter_map(|v| number(&v.version));
        let last = own.chain(number(shipped().version())).max().unwrap_or(0);
        format!("{year}{}", last.saturating_add(1))
    }
}

static SHIPPED_TABLE: std::sync::LazyLock<Tarifa> = std::sync::LazyLock::new(Tarifa::por_defecto);

/// The table that comes with the program.
fn shipped() -> Tarifa {
    SHIPPED_TABLE.clone()
}

/// Whether an item came with the program; the others are the company's, to be withdrawn as it likes.
fn is_shipped(key: &str) -> bool {
    SHIPPED_TABLE.partidas().iter().any(|p| p.key == key)
}

async fn frame(state: &WebState, signed: &Signed, title: &str) -> Result<PanelFrame, Refusal> {
    Ok(super::frame(state, signed, title).await?.with(STYLES, &[]))
}

/// The same for a page whose form holds what is not kept yet.
async fn unsaved_frame(state: &WebState, signed: &Signed, title: &str) -> Result<PanelFrame, Refusal> {
    Ok(super::frame(state, signed, title).await?.with(STYLES, &["sin-guardar.js"]))
}

/// What is looked for among the items.
struct Wanted {
    words: Vec<String>,
}

impl Wanted {
    fn new(text: &str) -> Self {
        let folded = embudo_domain::search::fold(text);
        Self { words: folded.split_whitespace().take(8).map(str::to_owned).collect() }
    }

    /// Whether an item has every word somewhere in its key, its texts or the name of its chapter.
    fn has(&self, item: &Partida, capitulo: &str) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let details = item.precios.iter().flatten().filter_map(|p| p.detail.as_deref());
        let all: Vec<&str> =
            [item.key.as_str(), &item.concepto, capitulo].into_iter().chain(details).collect();
        let folded = embudo_domain::search::fold(&all.join(" "));
        self.words.iter().all(|word| folded.contains(word))
    }
}

/// What stands in the search box, short.
fn asked(text: &str) -> String {
    text.chars().take(80).collect()
}
