//! `/panel/empresa/tarifa…`: shows the company's prices and prepares their next version.
//!
//! A version never changes, because quotes refer to it. A version in preparation exists only in the person's form: the
//! version that it starts from and the changes to it ([`edits`]), or a file. Nothing unfinished is stored, and nobody
//! has to wait for a lock. The person who saves later is shown the versions that were saved meanwhile ([`review`]).

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
/// The name of the shipped table in addresses. No version can have this name.
const SHIPPED: &str = "_serie";
const STYLES: &[&str] = &["empresa.css", "tarifa.css"];
const TABS: Tabs = Tabs { here: PATH };

/// Identifies a price table.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Which {
    Shipped,
    Own(String),
}

impl Which {
    fn parse(text: &str) -> Self {
        if text == SHIPPED { Self::Shipped } else { Self::Own(text.to_owned()) }
    }

    /// The name of the table in addresses. It needs no escaping.
    fn word(&self) -> &str {
        match self {
            Self::Shipped => SHIPPED,
            Self::Own(version) => version,
        }
    }

    /// The name of the table for people.
    fn name(&self) -> String {
        match self {
            Self::Shipped => format!("{} (de serie)", shipped().version()),
            Self::Own(version) => version.clone(),
        }
    }
}

/// The price tables of a company.
struct Shelf {
    empresa: EmpresaId,
    today: Date,
    /// The versions, sorted by the day from which they apply, latest first.
    versions: Vec<TarifaVersion>,
    /// Whether the factors of the provinces also apply to the company's own prices.
    scales_own: bool,
}

impl Shelf {
    async fn of(state: &WebState, signed: &Signed) -> Result<Self, Refusal> {
        let empresa = signed.empresa()?.id;
        let versions = state.app.tarifas().versions(empresa).await?;
        let scales_own = state.app.store.settings(empresa).await?.scales_own_prices;
        Ok(Self { empresa, today: state.app.today(), versions, scales_own })
    }

    /// The table in force on a day.
    fn holding(&self, day: Date) -> Which {
        let holds = self.versions.iter().find(|v| v.since <= day);
        holds.map_or(Which::Shipped, |v| Which::Own(v.version.clone()))
    }

    /// The table in force on a day, as quotes use it: if the company's table can no longer be read, the shipped one.
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

    /// The fingerprint that a form carries, to detect later that other versions were saved.
    fn fingerprint(&self) -> String {
        let all: Vec<String> = self.versions.iter().map(|v| format!("{} {}", v.version, v.since)).collect();
        fingerprint(&all.join("\n"))
    }

    /// An unused version name. If names consist of the year and a number, it is the next number.
    fn fresh_name(&self) -> String {
        let year = format!("{}.", self.today.year());
        let number = |name: &str| name.strip_prefix(&year)?.parse::<u32>().ok();
        let own = self.versions.iter().filter_map(|v| number(&v.version));
        let last = own.chain(number(shipped().version())).max().unwrap_or(0);
        format!("{year}{}", last.saturating_add(1))
    }
}

static SHIPPED_TABLE: std::sync::LazyLock<Tarifa> = std::sync::LazyLock::new(Tarifa::por_defecto);

/// The price table that comes with the program.
fn shipped() -> Tarifa {
    SHIPPED_TABLE.clone()
}

/// Whether an item came with the program. All other items belong to the company, which may withdraw them.
fn is_shipped(key: &str) -> bool {
    SHIPPED_TABLE.partidas().iter().any(|p| p.key == key)
}

async fn frame(state: &WebState, signed: &Signed, title: &str) -> Result<PanelFrame, Refusal> {
    Ok(super::frame(state, signed, title).await?.with(STYLES, &[]))
}

/// The frame of a page whose form contains unsaved changes.
async fn unsaved_frame(state: &WebState, signed: &Signed, title: &str) -> Result<PanelFrame, Refusal> {
    Ok(super::frame(state, signed, title).await?.with(STYLES, &["sin-guardar.js"]))
}

/// A search for items.
struct Wanted {
    words: Vec<String>,
}

impl Wanted {
    fn new(text: &str) -> Self {
        let folded = embudo_domain::search::fold(text);
        Self { words: folded.split_whitespace().take(8).map(str::to_owned).collect() }
    }

    /// Whether every word occurs in the item's key, its texts or the name of its chapter.
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

/// The text of the search box, limited in length.
fn asked(text: &str) -> String {
    text.chars().take(80).collect()
}
