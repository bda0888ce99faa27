//! Contact attempts: every call is a row, also with the same number.

use std::sync::Arc;

use embudo_domain::ficha::IntentoGuardado;
use embudo_domain::intento::{Canal, Intento, Resultado};

use super::calificacion::OBJETOS;
use super::data::{
    MAX_ENTERO, TEXTO_RARO, ficha, instantes_extremos, intento, nadie, sin_rastro, t, texto_largo, un_lead,
};
use embudo_store::command::RecordIntento;
use embudo_store::{Hecho, Store};

async fn registrar(store: &Arc<dyn Store>, command: RecordIntento) -> IntentoGuardado {
    let guardado =
        IntentoGuardado { id: command.id, intento: command.intento.clone(), creado_en: command.en };
    assert_eq!(store.record_intento(command).await.expect("recorded"), Hecho::Ahora);
    guardado
}

/// Attempts read back as sent, in the order they came, whatever their numbers.
pub async fn attempts_read_back_in_order(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for (n, resultado) in (1..).zip(Resultado::PALABRAS) {
        let mut command = intento(lead, 10 - n, t(n));
        command.intento = Intento {
            canal: Canal::parse(Canal::PALABRAS[usize::try_from(n).expect("small") % 3]).expect("a channel"),
            resultado: Resultado::parse(resultado),
            completado: n % 2 == 0,
            duracion_seg: Some(n - 1),
            notas: Some(TEXTO_RARO.into()),
            metadata: Some(format!(r#"{{"llamadaId":"c-{n}"}}"#)),
            ..command.intento
        };
        esperados.push(registrar(&store, command).await);
    }
    esperados.push(registrar(&store, intento(lead, 1, t(9))).await);
    assert_eq!(ficha(&store, lead).await.intentos, esperados);
}

/// The same number twice is two attempts.
pub async fn the_same_number_twice_is_two_attempts(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let uno = registrar(&store, intento(lead, 1, t(1))).await;
    let dos = registrar(&store, intento(lead, 1, t(1))).await;
    assert_eq!(ficha(&store, lead).await.intentos, vec![uno, dos]);
}

/// Numbers and durations are exact up to the largest integer JSON keeps, and instants to the microsecond.
pub async fn integers_and_times_are_exact(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for (n, en) in
        [1, MAX_ENTERO, -MAX_ENTERO, i64::from(i32::MAX) + 1].into_iter().cycle().zip(instantes_extremos())
    {
        let mut command = intento(lead, n, en);
        command.intento.duracion_seg = Some(n);
        esperados.push(registrar(&store, command).await);
    }
    assert_eq!(ficha(&store, lead).await.intentos, esperados);
}

/// `metadata` comes back as the text that was sent, and empty notes are notes.
pub async fn metadata_comes_back_as_sent(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for objeto in OBJETOS {
        let mut command = intento(lead, 1, t(1));
        command.intento.metadata = Some(objeto.into());
        command.intento.notas = Some(String::new());
        esperados.push(registrar(&store, command).await);
    }
    assert_eq!(ficha(&store, lead).await.intentos, esperados);
}

/// Notes of many megabytes come back byte for byte.
pub async fn long_notes_survive(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut command = intento(lead, 1, t(1));
    command.intento.notas = Some(texto_largo(9_000_000));
    let esperado = registrar(&store, command).await;
    assert!(ficha(&store, lead).await.intentos == vec![esperado]);
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nadie();
    assert_fails!(store.record_intento(intento(lead, 1, t(1))).await, LeadNotFound);
    sin_rastro(&store, lead).await;
}
