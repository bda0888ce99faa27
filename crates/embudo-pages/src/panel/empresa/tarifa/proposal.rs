//! What somebody prepares: a version with its changes, or a file.

use embudo_domain::tarifa::{Tarifa, TarifaEdit};

use super::posted::{MAX_TEXT, text_of};
use super::{Shelf, Which, edits};
use crate::WebState;
use crate::parts::{FormFields, Refusal};

/// What a form carries of a version to come.
pub(super) struct Proposal {
    pub what: What,
    /// The mark of the versions that there were when it was begun.
    pub seen: String,
    pub version: String,
    pub since: String,
    pub notas: String,
}

pub(super) enum What {
    Edits { base: Which, edits: Vec<TarifaEdit> },
    File(String),
}

impl Proposal {
    /// What a form carries; `None` where it carries nothing.
    pub fn read(fields: &FormFields) -> Option<Self> {
        let file = fields.raw("texto");
        let what = match fields.raw("base") {
            _ if !file.is_empty() && file.len() <= MAX_TEXT => What::File(text_of(file)),
            "" => return None,
            base => What::Edits { base: Which::parse(base), edits: edits::read(fields.raw("cambios")) },
        };
        Some(Self {
            what,
            seen: fields.text("visto"),
            version: fields.text("version"),
            since: fields.text("desde"),
            notas: fields.text("notas").replace('\n', " "),
        })
    }

    /// Changes of a version, named by what is free and from today on.
    pub fn of_edits(shelf: &Shelf, base: Which, edits: Vec<TarifaEdit>, seen: String) -> Self {
        let (version, since) = (shelf.fresh_name(), shelf.today.to_string());
        Self { what: What::Edits { base, edits }, seen, version, since, notas: String::new() }
    }

    /// A file as it names itself, as far as that can be.
    pub fn of_file(shelf: &Shelf, text: String, table: &Tarifa) -> Self {
        let is_free = shelf.find(table.version()).is_none();
        Self {
            what: What::File(text),
            seen: shelf.fingerprint(),
            version: if is_free { table.version().to_owned() } else { shelf.fresh_name() },
            since: table.vigente_desde().max(shelf.today).to_string(),
            notas: table.notas().to_owned(),
        }
    }

    pub fn base(&self) -> Option<&Which> {
        match &self.what {
            What::Edits { base, .. } => Some(base),
            What::File(_) => None,
        }
    }

    /// The changes as the form carries them on.
    pub fn edits(&self) -> String {
        match &self.what {
            What::Edits { edits, .. } => edits::write(edits),
            What::File(_) => String::new(),
        }
    }

    pub fn text(&self) -> &str {
        match &self.what {
            What::Edits { .. } => "",
            What::File(text) => text,
        }
    }

    /// The table that it comes to, and how many of its changes found no place.
    pub async fn table(&self, state: &WebState, shelf: &Shelf) -> Result<(Tarifa, usize), Refusal> {
        match &self.what {
            What::Edits { base, edits } => {
                let mut table = shelf.table(state, base).await?;
                let lost = edits.iter().filter(|edit| table.edit(edit).is_err()).count();
                Ok((table, lost))
            }
            // It was read before it came into a form of ours.
            What::File(text) => {
                let read = state.app.tarifas().read(text.clone()).await?;
                Ok((read.map_err(|_| Refusal::NotUnderstood)?.scaling_own(shelf.scales_own), 0))
            }
        }
    }
}
