//! The conformance suite: what every engine must do, case by case, in words of the contract.
//!
//! An engine's tests call [`store_conformance!`](crate::store_conformance) with a function that makes an empty store. A
//! case sees only [`Store`](embudo_store::Store) and nothing of the engine. So a case that passes on one engine and
//! fails on the other shows a difference between the engines, never one between their tests. Where the contract leaves
//! something open (the order of `duplicates`, which of two states written by one call comes first in the history) no
//! case checks it.

/// Asserts that a command failed for this reason.
macro_rules! assert_fails {
    ($result:expr, $reason:ident) => {
        match $result {
            Err(embudo_store::StoreError::$reason) => {}
            other => panic!("expected {}, got {other:?}", stringify!($reason)),
        }
    };
}

pub mod admin;
pub mod answers;
pub mod at_once;
pub mod audit;
pub mod blobs;
pub mod business;
pub mod calificacion;
mod cases;
pub mod claims;
pub mod company_keys;
pub mod concurrency;
pub mod conversacion;
pub mod correction;
pub mod counts;
pub mod credentials;
pub mod data;
pub mod deliveries;
pub mod desk;
pub mod drafts;
pub mod empresas;
pub mod ends;
pub mod etapa;
pub mod events;
pub mod figures;
pub mod fotos;
pub mod history;
pub mod idempotency;
pub mod identity;
#[cfg(test)]
mod in_memory;
pub mod inbox;
pub mod ingesta;
pub mod intento;
pub mod issue;
pub mod jobs;
pub mod leads;
pub mod leases;
pub mod lists;
pub mod model;
pub mod notices;
pub mod outbox_lists;
pub mod pauses;
pub mod perfil;
pub mod presupuestos;
pub mod projection;
pub mod provisional;
pub mod push;
pub mod reminders;
pub mod renditions;
pub mod replacement;
pub mod replies;
pub mod rights;
pub mod search;
pub mod sessions;
pub mod sheet;
pub mod terms;
pub mod users;
pub mod visits;
pub mod watched_loop;
