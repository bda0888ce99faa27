//! What a client accepted of a quote, and the visit that they asked for if the quote is not binding yet.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Chosen, Document, Presupuesto, PrintedOption, SignedAnswer};
use crate::legal::{LegalKey, LegalText};
use crate::money::Cents;
use crate::pricing::{CHOSEN, Capitulo, Line, sum};

/// An option that a client ticked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenOption {
    /// Its name in the quote.
    pub id: String,
    /// Its concept, with its room if the quote has several.
    pub concepto: String,
}

/// What a client accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// What they pay, tax and options included.
    pub total: Cents,
    /// In the quote's order.
    pub options: Vec<ChosenOption>,
    /// They made the declaration that the tax rate requires.
    pub declared: bool,
    /// The client asked for the work to begin before the withdrawal period ends.
    pub early_start: bool,
    /// Who wrote the acceptance down, if the client gave it by telephone.
    pub by_phone: Option<ByPhone>,
    pub at: Timestamp,
}

/// A person of the company who wrote down what the client said by telephone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByPhone {
    /// Their name at that time.
    pub who: String,
    /// Internal: no client and no program sees it.
    pub note: Option<String>,
}

/// A client's request that somebody come and measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitRequest {
    pub at: Timestamp,
    /// When it suits them, or anything else that they wrote.
    pub note: Option<String>,
}

impl Presupuesto {
    /// What the client accepted, if they did.
    pub fn acceptance(&self) -> Option<Acceptance> {
        let answer = self.answer.as_ref().filter(|answer| answer.accepted)?;
        Some(Acceptance {
            total: answer.total.unwrap_or(self.document.impuesto.total),
            options: answer.options.clone(),
            declared: answer.declaracion.is_some(),
            early_start: answer.early_start.is_some(),
            by_phone: answer.by_phone.clone(),
            at: answer.at,
        })
    }

    /// The requested visit, unless the client answered the quote after that request.
    pub fn open_visit(&self) -> Option<&VisitRequest> {
        let answered = self.answer.as_ref().map(|answer| answer.at);
        self.visit.as_ref().filter(|visit| answered.is_none_or(|at| at <= visit.at))
    }
}

impl SignedAnswer {
    /// The options as JSON, as they are stored; `None` if none was ticked.
    pub fn kept_options(&self) -> Option<String> {
        let kept = || serde_json::to_string(&self.options).expect("plain data becomes JSON");
        (!self.options.is_empty()).then(kept)
    }
}

impl Document {
    /// The options with these ids, in the quote's order. `None` if an id does not belong to this quote, or if there are
    /// more ids than options.
    pub fn choose<T: AsRef<str>>(&self, ids: &[T]) -> Option<Vec<ChosenOption>> {
        let is_own = |id: &T| self.options.iter().any(|o| o.id == id.as_ref());
        if ids.len() > self.options.len() || !ids.iter().all(is_own) {
            return None;
        }
        let is_chosen = |o: &&PrintedOption| ids.iter().any(|id| id.as_ref() == o.id);
        Some(self.options.iter().filter(is_chosen).map(PrintedOption::chosen).collect())
    }

    /// What the client accepted, as a document of its own: the ticked options become lines and count in all sums, and
    /// the other options are removed.
    pub fn accepted(&self, acceptance: &Acceptance) -> Self {
        let Chosen { base, impuesto, .. } = self.with_options(&acceptance.options);
        let is_taken = |option: &&PrintedOption| acceptance.options.iter().any(|o| o.id == option.id);
        let named =
            |option: &PrintedOption| Line { concepto: option.chosen().concepto, ..option.line.clone() };
        let lines: Vec<Line> = self.options.iter().filter(is_taken).map(named).collect();
        let mut accepted = Self { impuesto, options: Vec::new(), ..self.clone() };
        // The client need not repeat a declaration that they made when accepting.
        accepted.impuesto.pending_declaration &= !acceptance.declared;
        let pricing = &mut accepted.pricing;
        if !lines.is_empty() {
            let total = sum(lines.iter().map(|line| line.importe));
            pricing.material =
                sum([pricing.material].into_iter().chain(lines.iter().map(|line| line.material)));
            let (zona, nombre) = (pricing.kind, CHOSEN.to_owned());
            pricing.capitulos.push(Capitulo { zona, nombre, lines, total });
        }
        pricing.base = base;
        pricing.labour = base.checked_sub(pricing.material).unwrap_or_default();
        let legal = std::mem::take(&mut accepted.legal);
        accepted.legal =
            legal.into_iter().map(|text| text.with_amounts_of(&accepted, &self.impuesto)).collect();
        accepted
    }

    /// The request to begin within the days of withdrawal, if the quote carries it.
    pub fn early_start(&self) -> Option<&LegalText> {
        self.legal.iter().find(|text| text.key == LegalKey::EarlyStart)
    }
}

impl PrintedOption {
    fn chosen(&self) -> ChosenOption {
        let concepto = match &self.room {
            Some(room) => format!("{room}: {}", self.line.concepto),
            None => self.line.concepto.clone(),
        };
        ChosenOption { id: self.id.clone(), concepto }
    }
}

impl AsRef<str> for ChosenOption {
    fn as_ref(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legal::{Legal, OwnLegal};
    use crate::presupuesto::draft::Draft;
    use crate::presupuesto::tests as fixtures;
    use crate::presupuesto::{Base, Character};

    #[test]
    fn what_was_accepted_is_a_document_with_its_options_in_the_sums() {
        let (lead, base) = (fixtures::lead(), fixtures::base());
        let mut draft = Draft::of_lead(&lead, base);
        for line in draft.rooms[0].capitulos.iter_mut().flat_map(|c| &mut c.lines).take(2) {
            line.optional = true;
        }
        let document = draft.compose(&lead, &[], &[], base).expect("it can be sent");
        let taken = document.options[1].clone();
        let options = document.choose(&[&taken.id]).expect("its own");
        let chosen = document.with_options(&options);
        let acceptance = Acceptance {
            total: chosen.total,
            options,
            declared: true,
            early_start: false,
            by_phone: None,
            at: Timestamp::UNIX_EPOCH,
        };
        let accepted = document.accepted(&acceptance);
        assert_eq!(accepted.impuesto.total, acceptance.total);
        assert!(accepted.options.is_empty() && !accepted.impuesto.pending_declaration);
        let lines = accepted.pricing.capitulos.iter().flat_map(|c| &c.lines);
        assert_eq!(sum(lines.clone().map(|line| line.importe)), accepted.pricing.base);
        assert_eq!(accepted.pricing.base, accepted.impuesto.base);
        assert_eq!(sum(lines.map(|line| line.material)), accepted.pricing.material);
        let (_, over_all) = accepted.capitulos();
        assert_eq!(over_all.last().map(|c| c.nombre.as_str()), Some(CHOSEN));
        let nothing = Acceptance { options: Vec::new(), total: document.impuesto.total, ..acceptance };
        assert_eq!(document.accepted(&nothing).pricing, document.pricing);
    }

    #[test]
    fn an_accepted_quote_states_its_own_amounts_and_leaves_other_words_alone() {
        let (lead, base) = (fixtures::lead(), fixtures::base());
        let mut draft = Draft::of_lead(&lead, base);
        draft.rooms[0].capitulos[0].lines[0].optional = true;
        draft.character = Some(Character::Binding);
        let offered = draft.compose(&lead, &[], &[], base).expect("it can be sent").impuesto.total;
        // The company's own deposit happens to be as high as the total without the option.
        let own = LegalText {
            key: LegalKey::Precio,
            title: "Precio".to_owned(),
            paragraphs: vec![
                format!("La fianza es de {offered}."),
                format!("{{cliente}} paga {{total}}; la fianza sigue en {offered}."),
            ],
            version: "2026-11-16".to_owned(),
            with_amounts: None,
        };
        let legal = Legal::por_defecto().with_own(&OwnLegal { texts: vec![own] });
        let document =
            draft.compose(&lead, &[], &[], Base { legal: Some(&legal), ..base }).expect("it can be sent");
        let stored = serde_json::to_string(&document).expect("writes");
        let document: Document = serde_json::from_str(&stored).expect("reads");
        let options = document.choose(&[&document.options[0].id]).expect("its own");
        let total = document.with_options(&options).total;
        assert_ne!(total, offered);
        let acceptance = Acceptance {
            total,
            options,
            declared: true,
            early_start: false,
            by_phone: None,
            at: Timestamp::UNIX_EPOCH,
        };
        let price = |document: &Document| {
            document
                .legal
                .iter()
                .find(|text| text.key == LegalKey::Precio)
                .expect("it has one")
                .paragraphs
                .clone()
        };
        let deposit = format!("La fianza es de {offered}.");
        let pays = |total| format!("Ana García paga {total}; la fianza sigue en {offered}.");
        assert_eq!(price(&document), [deposit.clone(), pays(offered)]);
        assert_eq!(price(&document.accepted(&acceptance)), [deposit, pays(total)]);
        // A quote stored before that field existed does not know where its amounts are: all equal ones are replaced.
        let mut old = document.clone();
        old.legal.iter_mut().for_each(|text| text.with_amounts = None);
        let replaced = format!("Ana García paga {total}; la fianza sigue en {total}.");
        assert_eq!(price(&old.accepted(&acceptance)), [format!("La fianza es de {total}."), replaced]);
        assert_eq!(old.digest(), document.digest(), "the same content");
    }
}
