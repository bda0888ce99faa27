//! Contact attempts: every call is a row, also with the same number.

use std::sync::Arc;

use embudo_domain::intento::{Channel, Intento, IntentoResult};
use embudo_domain::record::StoredIntento;

use super::calificacion::OBJECTS;
use super::data::{
    MAX_INTEGER, ODD_TEXT, a_lead, extreme_instants, intento, long_text, nobody, record, t, without_trace,
};
use embudo_store::lead_writes::RecordIntento;
use embudo_store::{Done, Store};

async fn registrar(store: &Arc<dyn Store>, command: RecordIntento) -> StoredIntento {
    let stored = StoredIntento { id: command.id, intento: command.intento.clone(), creado_en: command.at };
    assert_eq!(store.record_intento(command).await.expect("recorded"), Done::Now);
    stored
}

/// Attempts read back as sent, in the order they came, whatever their numbers.
pub async fn attempts_read_back_in_order(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for (n, result) in (1..).zip(IntentoResult::WORDS) {
        let mut command = intento(lead, 10 - n, t(n));
        command.intento = Intento {
            channel: Channel::parse(Channel::WORDS[usize::try_from(n).expect("small") % 3])
                .expect("a channel"),
            result: IntentoResult::parse(result),
            completed: n % 2 == 0,
            duracion_seg: Some(n - 1),
            notas: Some(ODD_TEXT.into()),
            metadata: Some(format!(r#"{{"llamadaId":"c-{n}"}}"#)),
            ..command.intento
        };
        expected_ones.push(registrar(&store, command).await);
    }
    expected_ones.push(registrar(&store, intento(lead, 1, t(9))).await);
    assert_eq!(record(&store, lead).await.intentos, expected_ones);
}

pub async fn the_same_number_twice_is_two_attempts(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let one = registrar(&store, intento(lead, 1, t(1))).await;
    let two = registrar(&store, intento(lead, 1, t(1))).await;
    assert_eq!(record(&store, lead).await.intentos, vec![one, two]);
}

/// Numbers and durations are exact up to the largest integer JSON keeps, and instants to the microsecond.
pub async fn integers_and_times_are_exact(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for (n, at) in
        [1, MAX_INTEGER, -MAX_INTEGER, i64::from(i32::MAX) + 1].into_iter().cycle().zip(extreme_instants())
    {
        let mut command = intento(lead, n, at);
        command.intento.duracion_seg = Some(n);
        expected_ones.push(registrar(&store, command).await);
    }
    assert_eq!(record(&store, lead).await.intentos, expected_ones);
}

/// `metadata` comes back as the text that was sent, and empty notes are notes.
pub async fn metadata_comes_back_as_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for object in OBJECTS {
        let mut command = intento(lead, 1, t(1));
        command.intento.metadata = Some(object.into());
        command.intento.notas = Some(String::new());
        expected_ones.push(registrar(&store, command).await);
    }
    assert_eq!(record(&store, lead).await.intentos, expected_ones);
}

/// Notes of many megabytes come back byte for byte.
pub async fn long_notes_survive(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut command = intento(lead, 1, t(1));
    command.intento.notas = Some(long_text(9_000_000));
    let expected = registrar(&store, command).await;
    assert!(record(&store, lead).await.intentos == vec![expected]);
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nobody();
    assert_fails!(store.record_intento(intento(lead, 1, t(1))).await, LeadNotFound);
    without_trace(&store, lead).await;
}
