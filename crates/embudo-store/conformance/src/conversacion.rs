//! Chat turns: appended in the order of acceptance, together with what they change on the lead.

use std::sync::Arc;

use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::ficha::TurnoGuardado;
use embudo_domain::perfil::EstadoWa;

use super::data::{
    TEXTO_RARO, ficha, instantes_extremos, nadie, otro_lead, sin_rastro, t, texto_largo, turno, un_lead,
};
use embudo_store::command::AppendTurno;
use embudo_store::{Hecho, Store};

async fn decir(store: &Arc<dyn Store>, command: AppendTurno) -> TurnoGuardado {
    let AppendTurno { id, turno, en, .. } = command.clone();
    let guardado = TurnoGuardado {
        id,
        rol: turno.rol,
        mensaje: turno.mensaje,
        media_type: turno.media_type,
        media_url: turno.media_url,
        transcripcion_audio: turno.transcripcion_audio,
        creado_en: en,
    };
    assert_eq!(store.append_turno(command).await.expect("appended"), Hecho::Ahora);
    guardado
}

/// A turn reads back as sent, with and without its optional fields, and empty ones are values.
pub async fn a_turn_reads_back(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for rol in [Rol::System, Rol::User, Rol::Assistant] {
        for opcional in [None, Some(""), Some(TEXTO_RARO)] {
            let opcional = opcional.map(str::to_owned);
            let mut command = turno(lead, TEXTO_RARO, t(1));
            command.turno = Turno {
                rol,
                media_type: opcional.clone(),
                media_url: opcional.clone(),
                transcripcion_audio: opcional,
                ..command.turno
            };
            esperados.push(decir(&store, command).await);
        }
    }
    assert_eq!(ficha(&store, lead).await.conversacion, esperados);
}

/// Turns read back in the order in which they were accepted, not by their times or ids.
pub async fn turns_keep_the_order_of_acceptance(store: Arc<dyn Store>) {
    let (lead, vecino) = (un_lead(&store).await, otro_lead(&store).await);
    let mut esperados = Vec::new();
    for n in [5, 3, 9, 9, 1, 7, 3] {
        esperados.push(decir(&store, turno(lead, &n.to_string(), t(n))).await);
        decir(&store, turno(vecino, "de otra", t(n))).await;
    }
    assert_eq!(ficha(&store, lead).await.conversacion, esperados);
    assert_eq!(ficha(&store, vecino).await.conversacion.len(), 7);
}

/// A turn without states changes nothing on the lead.
pub async fn a_plain_turn_leaves_the_lead_alone(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let antes = ficha(&store, lead).await.lead;
    decir(&store, turno(lead, "hola", t(5))).await;
    assert_eq!(ficha(&store, lead).await.lead, antes);
    assert_eq!(store.historial(lead).await.expect("a history"), vec![]);
}

/// A turn with states writes them on the lead in the same command, each alone or both.
pub async fn a_turn_updates_the_states(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperado = ficha(&store, lead).await.lead;
    let pasos = [
        (Some(EstadoWa::Leido), None),
        (None, Some("pide_fotos")),
        (Some(EstadoWa::SinEnviar), Some("")),
        (Some(EstadoWa::Fallido), None),
    ];
    for (n, (estado_wa, bot_step)) in (1..).zip(pasos) {
        let mut command = turno(lead, "hola", t(n));
        command.turno.estado_wa = estado_wa;
        command.turno.bot_step = bot_step.map(str::to_owned);
        decir(&store, command).await;
        esperado.perfil.estado_wa = estado_wa.or(esperado.perfil.estado_wa);
        esperado.perfil.bot_step = bot_step.map(str::to_owned).or(esperado.perfil.bot_step);
        esperado.actualizado_en = t(n);
        assert_eq!(ficha(&store, lead).await.lead, esperado);
    }
    assert_eq!(ficha(&store, lead).await.conversacion.len(), 4);
}

/// Instants keep their microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for en in instantes_extremos() {
        esperados.push(decir(&store, turno(lead, "hola", en)).await);
    }
    assert_eq!(ficha(&store, lead).await.conversacion, esperados);
}

/// A message of nine megabytes comes back byte for byte.
pub async fn a_very_long_message_survives(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let esperados = vec![
        decir(&store, turno(lead, &texto_largo(9_000_000), t(1))).await,
        decir(&store, turno(lead, &"🪚".repeat(9_000_000 / 4), t(2))).await,
    ];
    assert!(ficha(&store, lead).await.conversacion == esperados);
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nadie();
    let mut command = turno(lead, "hola", t(1));
    command.turno.estado_wa = Some(EstadoWa::Leido);
    command.turno.bot_step = Some("pide_fotos".into());
    assert_fails!(store.append_turno(command).await, LeadNotFound);
    sin_rastro(&store, lead).await;
}
