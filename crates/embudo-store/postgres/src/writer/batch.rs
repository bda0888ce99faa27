//! The commands that wait for a writer, and how many of them form a batch. In the writer, only this file sorts commands
//! by kind.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use embudo_store::{Result, StoreError};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::kind::{Claim, Grouped};
use super::session::Session;
use crate::failure::Step;

/// How many bytes a group may have; a larger command runs as a group of its own.
const MAX_BYTES: usize = 4 << 20;

/// The result of a command that was to run in a group.
pub(crate) enum Verdict<K: Grouped> {
    /// The command is done, or was refused for its own reasons.
    Told(Result<K::End>),
    /// The command's group failed, perhaps because of another command: the command must run alone. It keeps its ids, so
    /// running it again does no harm if the group's commit was in doubt.
    Alone(K),
}

/// A command and its caller.
pub(super) struct Errand<K: Grouped> {
    pub(super) command: K,
    pub(super) reply: oneshot::Sender<Verdict<K>>,
}

/// An errand of any kind.
pub(super) trait AnyErrand: Any + Send {
    fn kind(&self) -> TypeId;
    fn claim(&self) -> Claim;
    fn bytes(&self) -> usize;
    /// Makes a group that begins with this errand.
    fn into_group(self: Box<Self>) -> Box<dyn AnyGroup>;
}

impl<K: Grouped> AnyErrand for Errand<K> {
    fn kind(&self) -> TypeId {
        TypeId::of::<K>()
    }

    fn claim(&self) -> Claim {
        self.command.claim()
    }

    fn bytes(&self) -> usize {
        self.command.bytes()
    }

    fn into_group(self: Box<Self>) -> Box<dyn AnyGroup> {
        Box::new(Group { errands: vec![*self], ends: Vec::new() })
    }
}

/// Errands of one kind, and their results once they have run.
struct Group<K: Grouped> {
    errands: Vec<Errand<K>>,
    ends: Vec<Result<K::End>>,
}

/// A group of any kind.
pub(super) trait AnyGroup: Send {
    fn kind(&self) -> TypeId;
    fn is_transaction(&self) -> bool;
    fn len(&self) -> usize;
    /// Adds an errand of the group's own kind.
    fn push(&mut self, errand: Box<dyn AnyErrand>);
    /// Runs the commands and keeps their results.
    fn run<'a>(&'a mut self, on: &'a Session<'a>) -> BoxFuture<'a, Step<()>>;
    /// Sends each caller its result. A caller may have stopped waiting; the work is done all the same.
    fn tell(self: Box<Self>);
    /// Returns every command to its caller, to be run alone.
    fn hand_back(self: Box<Self>);
    /// Sends every caller the error that storage is away.
    fn turn_away(self: Box<Self>, why: &str);
}

impl<K: Grouped> AnyGroup for Group<K> {
    fn kind(&self) -> TypeId {
        TypeId::of::<K>()
    }

    fn is_transaction(&self) -> bool {
        K::IS_TRANSACTION
    }

    fn len(&self) -> usize {
        self.errands.len()
    }

    fn push(&mut self, errand: Box<dyn AnyErrand>) {
        let errand: Box<dyn Any> = errand;
        self.errands.push(*errand.downcast().expect("a group takes errands of its kind"));
    }

    fn run<'a>(&'a mut self, on: &'a Session<'a>) -> BoxFuture<'a, Step<()>> {
        async move {
            let commands: Vec<&K> = self.errands.iter().map(|errand| &errand.command).collect();
            self.ends = K::run(on, &commands).await?;
            Ok(())
        }
        .boxed()
    }

    fn tell(self: Box<Self>) {
        debug_assert_eq!(self.errands.len(), self.ends.len(), "every command has its end");
        for (errand, end) in self.errands.into_iter().zip(self.ends) {
            let _ = errand.reply.send(Verdict::Told(end));
        }
    }

    fn hand_back(self: Box<Self>) {
        for Errand { command, reply } in self.errands {
            let _ = reply.send(Verdict::Alone(command));
        }
    }

    fn turn_away(self: Box<Self>, why: &str) {
        for errand in self.errands {
            let _ = errand.reply.send(Verdict::Told(Err(StoreError::Unavailable(why.to_owned()))));
        }
    }
}

/// A batch: groups by kind.
#[derive(Default)]
pub(super) struct Batch {
    groups: Vec<Box<dyn AnyGroup>>,
    bytes: usize,
    claims: HashMap<Uuid, TypeId>,
}

impl Batch {
    /// Takes the commands at the front that may run in one batch.
    pub(super) fn take(waiting: &mut std::iter::Peekable<impl Iterator<Item = Box<dyn AnyErrand>>>) -> Self {
        let mut batch = Self::default();
        while let Some(errand) = waiting.next_if(|errand| batch.admits(&**errand)) {
            batch.push(errand);
        }
        batch
    }

    pub(super) fn into_groups(self) -> Vec<Box<dyn AnyGroup>> {
        self.groups
    }

    fn admits(&self, errand: &dyn AnyErrand) -> bool {
        if !self.groups.is_empty() && self.bytes + errand.bytes() > MAX_BYTES {
            return false;
        }
        match errand.claim() {
            Claim::Nothing => true,
            Claim::Shared(what) => self.claims.get(&what).is_none_or(|kind| *kind == errand.kind()),
            Claim::Only(what) => !self.claims.contains_key(&what),
        }
    }

    fn push(&mut self, errand: Box<dyn AnyErrand>) {
        self.bytes += errand.bytes();
        if let Claim::Shared(what) | Claim::Only(what) = errand.claim() {
            self.claims.insert(what, errand.kind());
        }
        match self.groups.iter_mut().find(|group| group.kind() == errand.kind()) {
            Some(group) => group.push(errand),
            None => self.groups.push(errand.into_group()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command of a kind for tests, numbered by `N`.
    struct Command<const N: usize>(Claim, usize);

    impl<const N: usize> Grouped for Command<N> {
        type End = ();

        fn sql() -> Vec<&'static crate::statement::Sql> {
            Vec::new()
        }

        fn key(&self) -> Uuid {
            Uuid::nil()
        }

        fn claim(&self) -> Claim {
            self.0
        }

        fn bytes(&self) -> usize {
            self.1
        }

        async fn run(_: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
            Ok(group.iter().map(|_| Ok(())).collect())
        }
    }

    fn errand<const N: usize>(claim: Claim, bytes: usize) -> Box<dyn AnyErrand> {
        Box::new(Errand { command: Command::<N>(claim, bytes), reply: oneshot::channel().0 })
    }

    /// The sizes of the groups, batch by batch and kind by kind.
    fn batches(errands: Vec<Box<dyn AnyErrand>>) -> Vec<Vec<usize>> {
        let mut waiting = errands.into_iter().peekable();
        let mut batches = Vec::new();
        while waiting.peek().is_some() {
            batches.push(Batch::take(&mut waiting).into_groups().iter().map(|group| group.len()).collect());
        }
        batches
    }

    #[test]
    fn kinds_go_together_by_kind() {
        let errands = vec![errand::<1>(Claim::Nothing, 1), errand::<2>(Claim::Nothing, 1)];
        assert_eq!(batches(errands.into_iter().chain([errand::<1>(Claim::Nothing, 1)]).collect()), [[2, 1]]);
    }

    #[test]
    fn what_is_large_goes_by_itself() {
        let errands = [1, MAX_BYTES, MAX_BYTES + 1, 2, 3].map(|bytes| errand::<1>(Claim::Nothing, bytes));
        assert_eq!(batches(errands.into()), [[1], [1], [1], [2]]);
    }

    #[test]
    fn a_row_is_changed_by_one_kind_at_a_time() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let shared = vec![
            errand::<1>(Claim::Shared(one), 1),
            errand::<1>(Claim::Shared(one), 1),
            errand::<2>(Claim::Shared(other), 1),
            errand::<2>(Claim::Shared(one), 1),
        ];
        assert_eq!(batches(shared), [vec![2, 1], vec![1]]);
        let only = [one, other, one].map(|what| errand::<1>(Claim::Only(what), 1));
        assert_eq!(batches(only.into()), [[2], [1]]);
    }
}
