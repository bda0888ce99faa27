//! Many at once: no call harms its neighbour, and what was accepted first stands first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use embudo_domain::TurnoId;
use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;
use tokio::task::JoinSet;

use super::data::{
    calificacion, ficha, foto, foto_n, ingesta, intento, nadie, otro_lead, perfil, t, turno, un_lead,
};
use embudo_store::{Hecho, Store};

/// Sixty-four concurrent calls with three photos each and no number given: 192 distinct consecutive numbers, those
/// of one call in their order.
pub async fn concurrent_photos_get_consecutive_numbers(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut tareas = JoinSet::new();
    for _ in 0..64 {
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            let fotos = vec![foto(), foto(), foto()];
            let ids: Vec<_> = fotos.iter().map(|f| f.id).collect();
            store.ingest(ingesta(lead, fotos, t(1))).await.expect("saved");
            ids
        });
    }
    let llamadas = tareas.join_all().await;
    let fotos = ficha(&store, lead).await.fotos;
    let numeros: Vec<f64> = fotos.iter().map(|f| f.orden).collect();
    assert_eq!(numeros, (1..=192).map(f64::from).collect::<Vec<_>>());
    for ids in llamadas {
        let numeros: Vec<f64> = ids
            .iter()
            .map(|id| fotos.iter().find(|f| f.id == *id).expect("its photo is there").orden)
            .collect();
        assert_eq!((numeros[1], numeros[2]), (numeros[0] + 1.0, numeros[0] + 2.0));
    }
}

/// Numbers that are left out stay distinct among themselves while others give theirs.
pub async fn given_and_absent_numbers_mix(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut tareas = JoinSet::new();
    for n in 0..32 {
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            let sin = foto();
            let id = sin.id;
            let fotos = if n % 2 == 0 { vec![sin] } else { vec![foto_n(f64::from(n) * 1.5), sin] };
            store.ingest(ingesta(lead, fotos, t(1))).await.expect("saved");
            id
        });
    }
    let sin = tareas.join_all().await;
    let fotos = ficha(&store, lead).await.fotos;
    assert_eq!(fotos.len(), 48);
    let mut numeros: Vec<f64> = fotos.iter().filter(|f| sin.contains(&f.id)).map(|f| f.orden).collect();
    numeros.sort_by(f64::total_cmp);
    assert!(numeros.is_sorted_by(|a, b| a < b), "{numeros:?}");
}

/// A turn that was answered before another was sent stands before it; states and history follow the same order.
pub async fn concurrent_turns_keep_the_order_of_acceptance(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let reloj = Arc::new(AtomicUsize::new(0));
    let mut tareas = JoinSet::new();
    for tarea in 0..16 {
        let (store, reloj) = (Arc::clone(&store), Arc::clone(&reloj));
        tareas.spawn(async move {
            let mut vistos = Vec::new();
            for n in 0..8 {
                let mut command = turno(lead, "hola", t(1));
                command.turno.bot_step = Some(format!("{tarea}-{n}"));
                command.turno.mensaje = format!("{tarea}-{n}");
                let id = command.id;
                let inicio = reloj.fetch_add(1, Ordering::SeqCst);
                store.append_turno(command).await.expect("appended");
                vistos.push((inicio, reloj.fetch_add(1, Ordering::SeqCst), id));
            }
            vistos
        });
    }
    let vistos: Vec<(usize, usize, TurnoId)> = tareas.join_all().await.concat();
    let f = ficha(&store, lead).await;
    assert_eq!(f.conversacion.len(), 128);
    let lugar = |id| f.conversacion.iter().position(|t| t.id == id).expect("every turn is there");
    for (_, fin, antes) in &vistos {
        for (inicio, _, despues) in &vistos {
            assert!(fin > inicio || lugar(*antes) < lugar(*despues), "answered before, stands after");
        }
    }
    let historial = store.historial(lead).await.expect("a history");
    assert!(historial.iter().map(|c| &c.valor).eq(f.conversacion.iter().map(|t| &t.mensaje)));
    assert_eq!(f.lead.perfil.bot_step.as_ref(), historial.last().map(|c| &c.valor));
}

/// Concurrent updates of different fields all hold.
pub async fn concurrent_updates_of_different_fields_all_hold(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let cambios: [Perfil; 6] = [
        Perfil { espacio: Some("a".into()), ..Default::default() },
        Perfil { estilo: Some("b".into()), ..Default::default() },
        Perfil { viable: Some(true), ..Default::default() },
        Perfil { m2_suelo: Some(0.1), ..Default::default() },
        Perfil { taste_text: Some("c".into()), ..Default::default() },
        Perfil { estado_wa: Some(EstadoWa::Leido), ..Default::default() },
    ];
    let mut tareas = JoinSet::new();
    for n in 0..48 {
        let (store, cambio) = (Arc::clone(&store), cambios[n % 6].clone());
        tareas.spawn(async move { store.update_perfil(perfil(lead, cambio, t(1))).await });
    }
    for hecho in tareas.join_all().await {
        assert_eq!(hecho.expect("written"), Hecho::Ahora);
    }
    let esperado = Perfil {
        espacio: Some("a".into()),
        estilo: Some("b".into()),
        viable: Some(true),
        m2_suelo: Some(0.1),
        taste_text: Some("c".into()),
        estado_wa: Some(EstadoWa::Leido),
        ..Default::default()
    };
    assert_eq!(ficha(&store, lead).await.lead.perfil, esperado);
    assert_eq!(store.historial(lead).await.expect("a history").len(), 8);
}

/// Concurrent qualifications of one lead make one qualification in which every field holds.
pub async fn concurrent_qualifications_make_one(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let cambios = [
        Calificacion { score: Some(50), ..Default::default() },
        Calificacion { nivel: Some(Nivel::B), ..Default::default() },
        Calificacion { criterios: Some("{}".into()), ..Default::default() },
        Calificacion { notas_agente: Some("n".into()), ..Default::default() },
    ];
    let mut tareas = JoinSet::new();
    for n in 0..32 {
        let (store, cambio) = (Arc::clone(&store), cambios[n % 4].clone());
        tareas.spawn(async move { store.upsert_calificacion(calificacion(lead, cambio, t(1))).await });
    }
    for hecho in tareas.join_all().await {
        assert_eq!(hecho.expect("written"), Hecho::Ahora);
    }
    let esperada = Calificacion {
        score: Some(50),
        nivel: Some(Nivel::B),
        criterios: Some("{}".into()),
        notas_agente: Some("n".into()),
    };
    assert_eq!(ficha(&store, lead).await.calificacion, Some(esperada));
}

/// Calls for leads that do not exist fail alone, in the middle of calls of every kind for many leads that do.
pub async fn failures_harm_no_neighbour(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let mut leads = Vec::new();
    for _ in 0..8 {
        leads.push(otro_lead(&store).await);
    }
    let mut tareas = JoinSet::new();
    for n in 0..160_usize {
        let store = Arc::clone(&store);
        // Opposite orders of leads, so that engines that lock rows in the order of arrival meet a deadlock here.
        let lead = if n % 2 == 0 { leads[n / 10 % 8] } else { leads[7 - n / 10 % 8] };
        tareas.spawn(async move {
            for (lead, existe) in [(lead, true), (nadie(), false)] {
                let hecho = match n % 5 {
                    0 => store.append_turno(turno(lead, "hola", t(1))).await,
                    1 => {
                        let sola = Perfil { bot_step: Some("x".into()), ..Default::default() };
                        store.update_perfil(perfil(lead, sola, t(1))).await
                    }
                    2 => {
                        let sola = Calificacion { score: Some(1), ..Default::default() };
                        store.upsert_calificacion(calificacion(lead, sola, t(1))).await
                    }
                    3 => store.record_intento(intento(lead, 1, t(1))).await,
                    _ => store.ingest(ingesta(lead, vec![foto()], t(1))).await,
                };
                if existe {
                    assert_eq!(hecho.expect("accepted"), Hecho::Ahora);
                } else {
                    assert_fails!(hecho, LeadNotFound);
                }
            }
        });
    }
    tareas.join_all().await;
    let (mut turnos, mut pasos, mut calificados, mut intentos, mut fotos) = (0, 0, 0, 0, 0);
    for lead in leads {
        let f = ficha(&store, lead).await;
        turnos += f.conversacion.len();
        pasos += store.historial(lead).await.expect("a history").len();
        calificados += usize::from(f.calificacion.is_some());
        intentos += f.intentos.len();
        fotos += f.fotos.len();
    }
    assert_eq!((turnos, pasos, calificados, intentos, fotos), (32, 32, 8, 32, 32));
}
