//! How far a lead has come. It is derived from what is known of the lead and never typed in.

use crate::event::EventKind;
use crate::watched_loop::{LoopStep, WatchedLoop};

enumeration! {
    /// The variants are in the order of the board.
    Etapa {
        Nuevo = "nuevo",
        EnConversacion = "en_conversacion",
        PerfilCompleto = "perfil_completo",
        EsperandoRenders = "esperando_renders",
        /// A drafted quote waits for a person.
        PorRevisar = "por_revisar",
        PresupuestoEnviado = "presupuesto_enviado",
        /// A visit is agreed.
        Visita = "visita",
        Aceptado = "aceptado",
        /// The work is going on, as a person said.
        EnObra = "en_obra",
        /// The work is done, as a person said.
        Terminado = "terminado",
        /// Archived, or the client declined.
        Perdido = "perdido",
    }
}

labels! {
    Etapa {
        Nuevo => "Nuevo",
        EnConversacion => "En conversación",
        PerfilCompleto => "Perfil completo",
        EsperandoRenders => "Esperando renders",
        PorRevisar => "Por revisar",
        PresupuestoEnviado => "Presupuesto enviado",
        Visita => "Visita",
        Aceptado => "Aceptado",
        EnObra => "En obra",
        Terminado => "Terminado",
        Perdido => "Perdido",
    }
}

enumeration! {
    /// How far the accepted work has come, as a person said.
    Progress { EnObra = "en_obra", Terminado = "terminado" }
}

/// What an etapa is derived from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EtapaInput {
    pub archived: bool,
    /// A quote is declined. After that answer the client has not asked for a visit, and nobody has reopened the lead.
    pub declined: bool,
    pub accepted: bool,
    /// Only counts once a quote was accepted.
    pub progress: Option<Progress>,
    pub future_visit: bool,
    /// A drafted quote waits for a person.
    pub draft_to_review: bool,
    /// A quote was issued and no newer one took its place.
    pub issued: bool,
    /// The watched loop waits for the first render.
    pub waits_for_renders: bool,
    /// The profile was reported as complete, whether or not its signal was delivered.
    pub profile_signalled: bool,
    pub has_turns: bool,
}

/// The order of precedence: the first etapa whose condition holds counts.
const PRECEDENCE: [Etapa; 11] = [
    Etapa::Perdido,
    Etapa::Terminado,
    Etapa::EnObra,
    Etapa::Aceptado,
    Etapa::Visita,
    Etapa::PorRevisar,
    Etapa::PresupuestoEnviado,
    Etapa::EsperandoRenders,
    Etapa::PerfilCompleto,
    Etapa::EnConversacion,
    Etapa::Nuevo,
];

impl Etapa {
    pub fn of(facts: &EtapaInput) -> Self {
        PRECEDENCE.into_iter().find(|etapa| etapa.holds(facts)).unwrap_or(Self::Nuevo)
    }

    fn holds(self, facts: &EtapaInput) -> bool {
        match self {
            // A later quote that was declined does not undo a contract.
            Self::Perdido => facts.archived || (facts.declined && !facts.accepted),
            Self::Terminado => facts.accepted && facts.progress == Some(Progress::Terminado),
            Self::EnObra => facts.accepted && facts.progress == Some(Progress::EnObra),
            Self::Aceptado => facts.accepted,
            Self::Visita => facts.future_visit,
            Self::PorRevisar => facts.draft_to_review,
            Self::PresupuestoEnviado => facts.issued,
            Self::EsperandoRenders => facts.waits_for_renders,
            Self::PerfilCompleto => facts.profile_signalled,
            Self::EnConversacion => facts.has_turns,
            Self::Nuevo => true,
        }
    }

    /// The words of all etapas with lower precedence, the lowest first. A fact that becomes true never lowers an etapa:
    /// a lead in one of the lower etapas moves to this one, any other lead keeps its etapa, and nothing else has to be
    /// known.
    pub fn gives_way(self) -> Vec<&'static str> {
        PRECEDENCE.iter().rev().take_while(|lower| **lower != self).map(|lower| lower.as_str()).collect()
    }

    /// The words of all etapas, from the lowest precedence to the highest.
    pub fn ascending() -> Vec<&'static str> {
        PRECEDENCE.iter().rev().map(|etapa| etapa.as_str()).collect()
    }

    /// Of two etapas that both hold, the one with the higher precedence.
    pub fn or(self, other: Self) -> Self {
        let both = [self, other];
        PRECEDENCE.into_iter().find(|etapa| both.contains(etapa)).unwrap_or(self)
    }

    /// The etapa to which an event of this kind raises a lead. `None`: such an event changes no etapa by itself.
    pub fn raised_by(event: EventKind) -> Option<Self> {
        (event == EventKind::PerfilComplete).then_some(Self::PerfilCompleto)
    }

    /// All etapas, in the order of the board.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.iter().filter_map(|word| Self::parse(word))
    }
}

/// What a step of the loop means for the etapa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopEffect {
    /// The lead rises to this etapa.
    Raises(Etapa),
    /// A fact may have become untrue: the etapa is derived anew.
    Settles,
    None,
}

impl LoopEffect {
    pub fn of(before: Option<WatchedLoop>, after: Option<WatchedLoop>) -> Self {
        let waits = |state: Option<WatchedLoop>| state.is_some_and(|l| l.step == LoopStep::AwaitingRenders);
        match (waits(before), waits(after)) {
            (false, true) => Self::Raises(Etapa::EsperandoRenders),
            (true, false) => Self::Settles,
            _ => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: EtapaInput = EtapaInput {
        archived: false,
        declined: false,
        accepted: false,
        progress: None,
        future_visit: false,
        draft_to_review: false,
        issued: false,
        waits_for_renders: false,
        profile_signalled: false,
        has_turns: false,
    };

    /// Each fact alone, then together with all facts of lower precedence.
    #[test]
    fn the_first_that_holds_counts() {
        let mut facts = NOTHING;
        assert_eq!(Etapa::of(&facts), Etapa::Nuevo);
        type Set = fn(&mut EtapaInput);
        let steps: [(Set, Etapa); 10] = [
            (|f| f.has_turns = true, Etapa::EnConversacion),
            (|f| f.profile_signalled = true, Etapa::PerfilCompleto),
            (|f| f.waits_for_renders = true, Etapa::EsperandoRenders),
            (|f| f.issued = true, Etapa::PresupuestoEnviado),
            (|f| f.draft_to_review = true, Etapa::PorRevisar),
            (|f| f.future_visit = true, Etapa::Visita),
            (|f| f.accepted = true, Etapa::Aceptado),
            (|f| (f.accepted, f.progress) = (true, Some(Progress::EnObra)), Etapa::EnObra),
            (|f| (f.accepted, f.progress) = (true, Some(Progress::Terminado)), Etapa::Terminado),
            (|f| f.archived = true, Etapa::Perdido),
        ];
        for (set, etapa) in steps {
            let mut alone = NOTHING;
            set(&mut alone);
            assert_eq!(Etapa::of(&alone), etapa);
            set(&mut facts);
            assert_eq!(Etapa::of(&facts), etapa);
        }
    }

    #[test]
    fn a_declined_quote_loses_the_lead_unless_another_was_accepted() {
        let declined = EtapaInput { declined: true, issued: true, ..NOTHING };
        assert_eq!(Etapa::of(&declined), Etapa::Perdido);
        assert_eq!(Etapa::of(&EtapaInput { accepted: true, ..declined }), Etapa::Aceptado);
        assert_eq!(Etapa::of(&EtapaInput { declined: false, ..declined }), Etapa::PresupuestoEnviado);
    }

    #[test]
    fn work_goes_on_only_where_a_quote_was_accepted() {
        for progress in [Progress::EnObra, Progress::Terminado] {
            let said = EtapaInput { issued: true, progress: Some(progress), ..NOTHING };
            assert_eq!(Etapa::of(&said), Etapa::PresupuestoEnviado);
        }
    }

    #[test]
    fn lower_ones_give_way() {
        assert_eq!(Etapa::Nuevo.gives_way(), Vec::<&str>::new());
        assert_eq!(Etapa::EnConversacion.gives_way(), ["nuevo"]);
        assert_eq!(Etapa::EsperandoRenders.gives_way(), ["nuevo", "en_conversacion", "perfil_completo"]);
        assert_eq!(Etapa::Perdido.gives_way().len(), 10);
        assert_eq!(Etapa::ascending().len(), 11);
        assert_eq!(Etapa::PorRevisar.or(Etapa::PresupuestoEnviado), Etapa::PorRevisar);
        assert_eq!(Etapa::Nuevo.or(Etapa::Nuevo), Etapa::Nuevo);
    }

    #[test]
    fn the_board_shows_every_one_once() {
        assert_eq!(Etapa::all().count(), PRECEDENCE.len());
        assert!(PRECEDENCE.iter().all(|etapa| Etapa::all().any(|shown| shown == *etapa)));
    }
}
