//! Chat turns: appended in the order of acceptance, together with what they change on the lead.

use std::sync::Arc;

use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::perfil::EstadoWa;
use embudo_domain::record::StoredTurno;

use super::data::{
    ODD_TEXT, a_lead, extreme_instants, long_text, nobody, other_lead, record, t, turno, without_trace,
};
use embudo_store::lead_writes::AppendTurno;
use embudo_store::{Done, Store};

async fn say(store: &Arc<dyn Store>, command: AppendTurno) -> StoredTurno {
    let AppendTurno { id, turno, at, .. } = command.clone();
    let stored = StoredTurno {
        id,
        rol: turno.rol,
        mensaje: turno.mensaje,
        media_type: turno.media_type,
        media_url: turno.media_url,
        transcripcion_audio: turno.transcripcion_audio,
        creado_en: at,
    };
    assert_eq!(store.append_turno(command).await.expect("appended"), Done::Now);
    stored
}

/// A turn reads back as sent, with and without its optional fields, and empty ones are values.
pub async fn a_turn_reads_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for rol in [Rol::System, Rol::User, Rol::Assistant] {
        for optional in [None, Some(""), Some(ODD_TEXT)] {
            let optional = optional.map(str::to_owned);
            let mut command = turno(lead, ODD_TEXT, t(1));
            command.turno = Turno {
                rol,
                media_type: optional.clone(),
                media_url: optional.clone(),
                transcripcion_audio: optional,
                ..command.turno
            };
            expected_ones.push(say(&store, command).await);
        }
    }
    assert_eq!(record(&store, lead).await.conversacion, expected_ones);
}

/// Turns read back in the order in which they were accepted, not by their times or ids.
pub async fn turns_keep_the_order_of_acceptance(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    let mut expected_ones = Vec::new();
    for n in [5, 3, 9, 9, 1, 7, 3] {
        expected_ones.push(say(&store, turno(lead, &n.to_string(), t(n))).await);
        say(&store, turno(neighbour, "de otra", t(n))).await;
    }
    assert_eq!(record(&store, lead).await.conversacion, expected_ones);
    assert_eq!(record(&store, neighbour).await.conversacion.len(), 7);
}

/// A turn without states changes nothing on the lead.
pub async fn a_plain_turn_leaves_the_lead_alone(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let before = record(&store, lead).await.lead;
    say(&store, turno(lead, "hola", t(5))).await;
    assert_eq!(record(&store, lead).await.lead, before);
    assert_eq!(store.history(lead).await.expect("a history"), vec![]);
}

/// A turn with states writes them on the lead in the same command, each alone or both.
pub async fn a_turn_updates_the_states(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected = record(&store, lead).await.lead;
    let steps = [
        (Some(EstadoWa::Leido), None),
        (None, Some("pide_fotos")),
        (Some(EstadoWa::NotSent), Some("")),
        (Some(EstadoWa::Fallido), None),
    ];
    for (n, (estado_wa, bot_step)) in (1..).zip(steps) {
        let mut command = turno(lead, "hola", t(n));
        command.turno.estado_wa = estado_wa;
        command.turno.bot_step = bot_step.map(str::to_owned);
        say(&store, command).await;
        expected.perfil.estado_wa = estado_wa.or(expected.perfil.estado_wa);
        expected.perfil.bot_step = bot_step.map(str::to_owned).or(expected.perfil.bot_step);
        expected.actualizado_en = t(n);
        assert_eq!(record(&store, lead).await.lead, expected);
    }
    assert_eq!(record(&store, lead).await.conversacion.len(), 4);
}

/// Instants keep their microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for at in extreme_instants() {
        expected_ones.push(say(&store, turno(lead, "hola", at)).await);
    }
    assert_eq!(record(&store, lead).await.conversacion, expected_ones);
}

/// A message of nine megabytes comes back byte for byte.
pub async fn a_very_long_message_survives(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let expected_ones = vec![
        say(&store, turno(lead, &long_text(9_000_000), t(1))).await,
        say(&store, turno(lead, &"🪚".repeat(9_000_000 / 4), t(2))).await,
    ];
    assert!(record(&store, lead).await.conversacion == expected_ones);
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nobody();
    let mut command = turno(lead, "hola", t(1));
    command.turno.estado_wa = Some(EstadoWa::Leido);
    command.turno.bot_step = Some("pide_fotos".into());
    assert_fails!(store.append_turno(command).await, LeadNotFound);
    without_trace(&store, lead).await;
}
