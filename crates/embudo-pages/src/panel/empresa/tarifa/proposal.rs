//! A version in preparation: an existing version with changes, or a file.

use embudo_domain::tarifa::{Tarifa, TarifaEdit};

use super::posted::{MAX_TEXT, text_of};
use super::{Shelf, Which, edits};
use crate::WebState;
use crate::parts::{FormFields, Refusal};

/// The version in preparation that a form carries.
pub(super) struct Proposal {
    pub what: What,
    /// The fingerprint of the versions that existed when the person began.
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
    /// Reads the proposal in a form. `None` if the form has none.
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

    /// A proposal with changes to a version. It gets an unused name and begins today.
    pub fn of_edits(shelf: &Shelf, base: Which, edits: Vec<TarifaEdit>, seen: String) -> Self {
        let (version, since) = (shelf.fresh_name(), shelf.today.to_string());
        Self { what: What::Edits { base, edits }, seen, version, since, notas: String::new() }
    }

    /// A proposal from a file. It keeps the name and the day of the file if they can be used.
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

    /// The changes, as the form carries them.
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

    /// The resulting table, and the number of changes that could not be applied to it.
    pub async fn table(&self, state: &WebState, shelf: &Shelf) -> Result<(Tarifa, usize), Refusal> {
        match &self.what {
            What::Edits { base, edits } => {
                let mut table = shelf.table(state, base).await?;
                let lost = edits.iter().filter(|edit| table.edit(edit).is_err()).count();
                Ok((table, lost))
            }
            // The file was already validated before it was put into the form.
            What::File(text) => {
                let read = state.app.tarifas().read(text.clone()).await?;
                Ok((read.map_err(|_| Refusal::NotUnderstood)?.scaling_own(shelf.scales_own), 0))
            }
        }
    }
}
