//! The watched loop: after a profile signal was accepted, renders must arrive, and then `finalizar` (contract §4).
//!
//! Each step has a deadline, so a receiver that answers 200 and then loses the work is discovered.

use jiff::{SignedDuration, Timestamp};

enumeration! {
    /// What the lead waits for.
    LoopStep {
        /// The first photo `despues` after the signal.
        AwaitingRenders = "esperando_renders",
        /// A call with `finalizar`.
        AwaitingFinalizar = "esperando_finalizar",
    }
}

labels! {
    LoopStep { AwaitingRenders => "Esperando renders", AwaitingFinalizar => "Esperando el presupuesto" }
}

/// The state of a lead in the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedLoop {
    /// What the lead waits for.
    pub step: LoopStep,
    pub since: Timestamp,
    /// The deadline of the step.
    pub limit: Timestamp,
    /// The deadline passed without the step.
    pub overdue: bool,
    /// How many profile signals were sent again automatically because the deadline passed.
    pub resignals: u32,
}

/// How long each step may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// From the accepted signal to the first render.
    pub renders: SignedDuration,
    /// From the first render to `finalizar`.
    pub finalizar: SignedDuration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let two_hours = SignedDuration::from_hours(2);
        Self { renders: two_hours, finalizar: two_hours }
    }
}

/// What has arrived since a signal was made. A workflow may call back before it answers the signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CameBack {
    /// A photo `despues`.
    pub renders: bool,
    /// A call with `finalizar`.
    pub finalizar: bool,
}

impl CameBack {
    /// Whether anything that a signal asks for has arrived.
    pub fn came(self) -> bool {
        self.renders || self.finalizar
    }
}

impl WatchedLoop {
    fn at_step(step: LoopStep, since: Timestamp, deadlines: Deadlines, resignals: u32) -> Self {
        let deadline = match step {
            LoopStep::AwaitingRenders => deadlines.renders,
            LoopStep::AwaitingFinalizar => deadlines.finalizar,
        };
        Self { step, since, limit: since + deadline, overdue: false, resignals }
    }

    /// The loop after a profile signal is done: the signal was accepted, or its work arrived whatever the answer was.
    pub fn after_signal(
        before: Option<WatchedLoop>,
        came_back: CameBack,
        at_step: Timestamp,
        deadlines: Deadlines,
    ) -> Option<WatchedLoop> {
        let resignals = before.map_or(0, |b| b.resignals);
        match came_back {
            CameBack { finalizar: true, .. } => None,
            CameBack { renders: true, .. } => {
                Some(Self::at_step(LoopStep::AwaitingFinalizar, at_step, deadlines, resignals))
            }
            _ => Some(Self::at_step(LoopStep::AwaitingRenders, at_step, deadlines, resignals)),
        }
    }

    /// The loop after an ingestion.
    pub fn after_ingesta(
        before: Option<WatchedLoop>,
        came_back: CameBack,
        at_step: Timestamp,
        deadlines: Deadlines,
    ) -> Option<WatchedLoop> {
        match (before, came_back) {
            (_, CameBack { finalizar: true, .. }) => None,
            (Some(b), CameBack { renders: true, .. }) if b.step == LoopStep::AwaitingRenders => {
                Some(Self::at_step(LoopStep::AwaitingFinalizar, at_step, deadlines, b.resignals))
            }
            (before, _) => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    const NOTHING: CameBack = CameBack { renders: false, finalizar: false };
    const RENDERS: CameBack = CameBack { renders: true, finalizar: false };
    const END: CameBack = CameBack { renders: true, finalizar: true };

    #[test]
    fn signal_renders_finalizar() {
        let deadlines = Deadlines::default();
        let one = WatchedLoop::after_signal(None, NOTHING, t(0), deadlines).expect("waits");
        assert_eq!((one.step, one.limit), (LoopStep::AwaitingRenders, t(7_200)));
        assert_eq!(WatchedLoop::after_ingesta(Some(one), NOTHING, t(5), deadlines), Some(one));
        let two = WatchedLoop::after_ingesta(Some(one), RENDERS, t(10), deadlines).expect("waits");
        assert_eq!((two.step, two.since), (LoopStep::AwaitingFinalizar, t(10)));
        assert_eq!(
            WatchedLoop::after_ingesta(Some(two), RENDERS, t(20), deadlines),
            Some(two),
            "only the first render counts"
        );
        assert_eq!(WatchedLoop::after_ingesta(Some(two), END, t(30), deadlines), None);
    }

    #[test]
    fn a_workflow_may_call_back_before_it_answers() {
        let deadlines = Deadlines::default();
        let step = WatchedLoop::after_signal(None, RENDERS, t(0), deadlines).map(|b| b.step);
        assert_eq!(step, Some(LoopStep::AwaitingFinalizar));
        assert_eq!(WatchedLoop::after_signal(None, END, t(0), deadlines), None);
    }

    #[test]
    fn renders_without_a_signal_start_nothing() {
        assert_eq!(WatchedLoop::after_ingesta(None, RENDERS, t(0), Deadlines::default()), None);
    }
}
