//! The writers: each takes the commands that wait, runs them kind by kind, and answers all callers.
//!
//! There is no timer: while one batch is being committed, the next one collects commands, and a lone command runs at
//! once. If a group fails, no command fails because of another one: every caller gets its command back and runs it
//! alone, with the same ids, while the writer goes on with the commands behind them. Nothing here knows what the
//! commands mean: a kind is a type that is [`Grouped`] and is in the list of kinds.

mod batch;
mod kind;
mod probe;
mod session;
mod task;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use embudo_metrics::{COMMIT_COMMANDS, COMMIT_SECONDS_TAKEN, Histogram};
use embudo_store::StoreError;
use embudo_supervisor::Supervisor;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::connection::Target;
pub(crate) use batch::Verdict;
use batch::{AnyErrand, Errand};
pub(crate) use kind::{Claim, Grouped, Kind, Lane, run_within};
pub(crate) use probe::Prober;
pub(crate) use session::{Attempt, Session};
use task::Writer;

/// How many commands may wait for one writer; further callers wait before they queue.
const QUEUE: usize = 4096;

/// Counters of the writers.
pub(crate) struct Counters {
    pub(crate) commands: AtomicU64,
    /// Groups: each is one statement or one transaction.
    pub(crate) groups: AtomicU64,
    /// Sizes of the groups and how long each took.
    sizes: Histogram,
    seconds: Histogram,
}

impl std::fmt::Debug for Counters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { commands, groups, .. } = self;
        f.debug_struct("Counters").field("commands", commands).field("groups", groups).finish_non_exhaustive()
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            commands: AtomicU64::default(),
            groups: AtomicU64::default(),
            sizes: COMMIT_COMMANDS.histogram(&[]),
            seconds: COMMIT_SECONDS_TAKEN.histogram(&[]),
        }
    }
}

/// The result of a command of which it is unknown whether it was done.
pub(crate) fn no_answer() -> StoreError {
    StoreError::Unavailable("the writer does not answer".into())
}

/// The channels to a writer.
struct Way {
    queue: mpsc::Sender<Box<dyn AnyErrand>>,
    prober: Prober,
}

/// The channels to all writers. A writer ends when this is dropped and its waiting commands are done.
pub(crate) struct Writers {
    bot: Vec<Way>,
    jobs: Way,
    ends: Way,
    pub(crate) counters: Arc<Counters>,
}

impl Writers {
    /// Starts `bot_writers` writers for the bot, and one for each other lane.
    pub(crate) fn spawn(
        supervisor: &Supervisor,
        target: &Target,
        kinds: &'static [Kind],
        bot_writers: usize,
    ) -> Self {
        let counters = Arc::new(Counters::default());
        let way = |name, lane| {
            let (queue, received) = mpsc::channel(QUEUE);
            let (prober, probes) = Prober::new();
            let writer = Writer::new(target.clone(), kinds, lane, Arc::clone(&counters));
            supervisor.spawn(name, (writer, received, probes), |(writer, received, probes), pulse| {
                Box::pin(writer.run(received, probes, pulse))
            });
            Way { queue, prober }
        };
        Self {
            bot: (0..bot_writers.max(1)).map(|_| way("the writer", Lane::Bot)).collect(),
            jobs: way("making jobs", Lane::Jobs),
            ends: way("ending attempts", Lane::Ends),
            counters,
        }
    }

    /// Hands a command to its writer and waits for the result. The caller sets the time limit.
    pub(crate) async fn run<K: Grouped>(&self, command: K) -> Verdict<K> {
        let queue = &self.way(K::LANE, command.key()).queue;
        let (reply, end) = oneshot::channel();
        let handing = async {
            queue.send(Box::new(Errand { command, reply })).await.ok()?;
            end.await.ok()
        };
        // The writer panicked, and it is unknown how the command ended.
        handing.await.unwrap_or_else(|| Verdict::Told(Err(no_answer())))
    }

    pub(crate) fn probers(&self) -> impl Iterator<Item = &Prober> {
        self.bot.iter().chain([&self.jobs, &self.ends]).map(|way| &way.prober)
    }

    /// Commands with the same key go to the same writer, so that they keep their order.
    fn way(&self, lane: Lane, key: Uuid) -> &Way {
        match lane {
            Lane::Bot => {
                let (high, low) = key.as_u64_pair();
                let nth = (high ^ low) % self.bot.len() as u64;
                &self.bot[usize::try_from(nth).expect("less than the number of writers")]
            }
            Lane::Jobs => &self.jobs,
            Lane::Ends => &self.ends,
        }
    }
}

impl std::fmt::Debug for Writers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writers").field("counters", &self.counters).finish_non_exhaustive()
    }
}
