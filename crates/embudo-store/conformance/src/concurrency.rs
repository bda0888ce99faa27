//! Many calls at once: no call harms another, and the order is that of acceptance.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use embudo_domain::TurnoId;
use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;
use tokio::task::JoinSet;

use super::data::{
    a_lead, calificacion, foto, foto_n, ingesta, intento, nobody, other_lead, perfil, record, t, turno,
};
use embudo_store::{Done, Store};

/// Sixty-four concurrent calls with three photos each and no number given: 192 distinct consecutive numbers, those
/// of one call in their order.
pub async fn concurrent_photos_get_consecutive_numbers(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut tasks = JoinSet::new();
    for _ in 0..64 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let fotos = vec![foto(), foto(), foto()];
            let ids: Vec<_> = fotos.iter().map(|f| f.id).collect();
            store.ingest(ingesta(lead, fotos, t(1))).await.expect("saved");
            ids
        });
    }
    let calls = tasks.join_all().await;
    let fotos = record(&store, lead).await.fotos;
    let numbers: Vec<f64> = fotos.iter().map(|f| f.orden).collect();
    assert_eq!(numbers, (1..=192).map(f64::from).collect::<Vec<_>>());
    for ids in calls {
        let numbers: Vec<f64> = ids
            .iter()
            .map(|id| fotos.iter().find(|f| f.id == *id).expect("its photo is there").orden)
            .collect();
        assert_eq!((numbers[1], numbers[2]), (numbers[0] + 1.0, numbers[0] + 2.0));
    }
}

/// Numbers that the store gives stay distinct among themselves while other calls bring their own.
pub async fn given_and_absent_numbers_mix(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut tasks = JoinSet::new();
    for n in 0..32 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let without = foto();
            let id = without.id;
            let fotos = if n % 2 == 0 { vec![without] } else { vec![foto_n(f64::from(n) * 1.5), without] };
            store.ingest(ingesta(lead, fotos, t(1))).await.expect("saved");
            id
        });
    }
    let without = tasks.join_all().await;
    let fotos = record(&store, lead).await.fotos;
    assert_eq!(fotos.len(), 48);
    let mut numbers: Vec<f64> = fotos.iter().filter(|f| without.contains(&f.id)).map(|f| f.orden).collect();
    numbers.sort_by(f64::total_cmp);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

/// A turn that was answered before another was sent comes before it; states and history follow the same order.
pub async fn concurrent_turns_keep_the_order_of_acceptance(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let clock = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for task in 0..16 {
        let (store, clock) = (Arc::clone(&store), Arc::clone(&clock));
        tasks.spawn(async move {
            let mut seen = Vec::new();
            for n in 0..8 {
                let mut command = turno(lead, "hola", t(1));
                command.turno.bot_step = Some(format!("{task}-{n}"));
                command.turno.mensaje = format!("{task}-{n}");
                let id = command.id;
                let start = clock.fetch_add(1, Ordering::SeqCst);
                store.append_turno(command).await.expect("appended");
                seen.push((start, clock.fetch_add(1, Ordering::SeqCst), id));
            }
            seen
        });
    }
    let seen: Vec<(usize, usize, TurnoId)> = tasks.join_all().await.concat();
    let f = record(&store, lead).await;
    assert_eq!(f.conversacion.len(), 128);
    let place = |id| f.conversacion.iter().position(|t| t.id == id).expect("every turn is there");
    for (_, end, before) in &seen {
        for (start, _, after) in &seen {
            assert!(end > start || place(*before) < place(*after), "answered before, stands after");
        }
    }
    let history = store.history(lead).await.expect("a history");
    assert!(history.iter().map(|c| &c.value).eq(f.conversacion.iter().map(|t| &t.mensaje)));
    assert_eq!(f.lead.perfil.bot_step.as_ref(), history.last().map(|c| &c.value));
}

pub async fn concurrent_updates_of_different_fields_all_hold(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let changes: [Perfil; 6] = [
        Perfil { espacio: Some("a".into()), ..Default::default() },
        Perfil { estilo: Some("b".into()), ..Default::default() },
        Perfil { viable: Some(true), ..Default::default() },
        Perfil { m2_suelo: Some(0.1), ..Default::default() },
        Perfil { taste_text: Some("c".into()), ..Default::default() },
        Perfil { estado_wa: Some(EstadoWa::Leido), ..Default::default() },
    ];
    let mut tasks = JoinSet::new();
    for n in 0..48 {
        let (store, change) = (Arc::clone(&store), changes[n % 6].clone());
        tasks.spawn(async move { store.update_perfil(perfil(lead, change, t(1))).await });
    }
    for done in tasks.join_all().await {
        assert_eq!(done.expect("written"), Done::Now);
    }
    let expected = Perfil {
        espacio: Some("a".into()),
        estilo: Some("b".into()),
        viable: Some(true),
        m2_suelo: Some(0.1),
        taste_text: Some("c".into()),
        estado_wa: Some(EstadoWa::Leido),
        ..Default::default()
    };
    assert_eq!(record(&store, lead).await.lead.perfil, expected);
    assert_eq!(store.history(lead).await.expect("a history").len(), 8);
}

/// Concurrent qualifications of one lead make one qualification in which every field holds.
pub async fn concurrent_qualifications_make_one(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let changes = [
        Calificacion { score: Some(50), ..Default::default() },
        Calificacion { nivel: Some(Nivel::B), ..Default::default() },
        Calificacion { criterios: Some("{}".into()), ..Default::default() },
        Calificacion { notas_agente: Some("n".into()), ..Default::default() },
    ];
    let mut tasks = JoinSet::new();
    for n in 0..32 {
        let (store, change) = (Arc::clone(&store), changes[n % 4].clone());
        tasks.spawn(async move { store.upsert_calificacion(calificacion(lead, change, t(1))).await });
    }
    for done in tasks.join_all().await {
        assert_eq!(done.expect("written"), Done::Now);
    }
    let expected = Calificacion {
        score: Some(50),
        nivel: Some(Nivel::B),
        criterios: Some("{}".into()),
        notas_agente: Some("n".into()),
    };
    assert_eq!(record(&store, lead).await.calificacion, Some(expected));
}

/// Calls for leads that do not exist fail alone, among calls of every kind for many leads that exist.
pub async fn failures_harm_no_neighbour(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let mut leads = Vec::new();
    for _ in 0..8 {
        leads.push(other_lead(&store).await);
    }
    let mut tasks = JoinSet::new();
    for n in 0..160_usize {
        let store = Arc::clone(&store);
        // Opposite orders of leads, so that engines that lock rows in the order of arrival meet a deadlock here.
        let lead = if n % 2 == 0 { leads[n / 10 % 8] } else { leads[7 - n / 10 % 8] };
        tasks.spawn(async move {
            for (lead, exists) in [(lead, true), (nobody(), false)] {
                let done = match n % 5 {
                    0 => store.append_turno(turno(lead, "hola", t(1))).await,
                    1 => {
                        let alone = Perfil { bot_step: Some("x".into()), ..Default::default() };
                        store.update_perfil(perfil(lead, alone, t(1))).await
                    }
                    2 => {
                        let alone = Calificacion { score: Some(1), ..Default::default() };
                        store.upsert_calificacion(calificacion(lead, alone, t(1))).await
                    }
                    3 => store.record_intento(intento(lead, 1, t(1))).await,
                    _ => store.ingest(ingesta(lead, vec![foto()], t(1))).await,
                };
                if exists {
                    assert_eq!(done.expect("accepted"), Done::Now);
                } else {
                    assert_fails!(done, LeadNotFound);
                }
            }
        });
    }
    tasks.join_all().await;
    let (mut turnos, mut steps, mut qualified, mut intentos, mut fotos) = (0, 0, 0, 0, 0);
    for lead in leads {
        let f = record(&store, lead).await;
        turnos += f.conversacion.len();
        steps += store.history(lead).await.expect("a history").len();
        qualified += usize::from(f.calificacion.is_some());
        intentos += f.intentos.len();
        fotos += f.fotos.len();
    }
    assert_eq!((turnos, steps, qualified, intentos, fotos), (32, 32, 8, 32, 32));
}
