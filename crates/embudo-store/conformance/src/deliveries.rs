//! What became of a quote on its way to the client, for as long as the quote is kept.

use std::sync::Arc;

use embudo_domain::presupuesto::{
    CanalEntrega, EntregaEncargada, EntregaPresupuesto, EstadoEntrega, Presupuesto,
};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{LeadId, ProcesoId, Timestamp, TrabajoId};
use uuid::Uuid;

use super::data::outbox::{LARGO, de, fin, terminar, tomar};
use super::data::presupuesto::{dibujado, pdf, redactar};
use super::data::{ficha, micros, otro_lead, t, un_lead};
use embudo_store::Store;
use embudo_store::cola::Resultado;

use CanalEntrega::{Email, Messaging};
use EstadoEntrega::{Dudosa, Entregada, Fallida, Pendiente, Simulada};

/// Issues a quote with a mail, and a messaging signal that is only simulated. The mail's job, and who holds it.
async fn issue(store: &Arc<dyn Store>, p: &Presupuesto) -> (TrabajoId, ProcesoId) {
    let mut command = dibujado(store, p, pdf(&p.id.to_string())).await;
    let correo = de(TipoTrabajo::CorreoCliente, command.fin.quien, LARGO);
    let entrega = |canal, trabajo, simulada| EntregaEncargada { canal, trabajo, simulada };
    command.entregas =
        vec![entrega(Email, correo.id, false), entrega(Messaging, TrabajoId(Uuid::new_v4()), true)];
    let issued = (correo.id, command.fin.quien);
    command.fin.trabajos = vec![correo];
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    issued
}

/// The deliveries of a lead's quotes, newest quote first.
async fn deliveries(store: &Arc<dyn Store>, lead: LeadId) -> Vec<Vec<EntregaPresupuesto>> {
    ficha(store, lead).await.presupuestos.into_iter().map(|p| p.entregas).collect()
}

fn both(correo: EstadoEntrega, en: Timestamp) -> Vec<EntregaPresupuesto> {
    vec![
        EntregaPresupuesto { canal: Email, estado: correo, en },
        EntregaPresupuesto { canal: Messaging, estado: Simulada, en: t(2) },
    ]
}

/// A delivery stands where its job stands, and still does when the job is purged.
pub async fn a_quote_knows_what_became_of_its_deliveries(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let ends = [(Resultado::Hecho, Entregada), (Resultado::Muerto, Fallida), (Resultado::Aparcado, Dudosa)];
    for (resultado, estado) in ends {
        let lead = otro_lead(&store).await;
        let p = redactar(&store, lead, "x").await;
        assert_eq!(deliveries(&store, lead).await, [vec![]], "nothing until it is issued");
        let (id, quien) = issue(&store, &p).await;
        assert_eq!(deliveries(&store, lead).await, [both(Pendiente, t(2))]);
        terminar(&store, fin(id, quien, Resultado::Reintentar(t(4)), t(3))).await;
        assert_eq!(deliveries(&store, lead).await, [both(Pendiente, t(2))]);
        tomar(&store, quien, t(4)).await;
        terminar(&store, fin(id, quien, resultado, t(5))).await;
        assert_eq!(deliveries(&store, lead).await, [both(estado, t(5))]);
        store.purge_trabajos(micros(t(5).as_microsecond() + 1), 100).await.expect("purged");
        assert_fails!(store.trabajo(id).await, TrabajoNotFound);
        assert_eq!(
            deliveries(&store, lead).await,
            [both(estado, t(5))],
            "the job is gone, its outcome is not"
        );
    }
}

/// One that is tried again is pending again; one that a newer quote's took the place of will not arrive; and what arrived once has
/// arrived, whatever becomes of it when it is sent again.
pub async fn deliveries_follow_their_jobs(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = redactar(&store, lead, "x").await;
    let (id, quien) = issue(&store, &p).await;
    terminar(&store, fin(id, quien, Resultado::Muerto, t(3))).await;
    store.retry(id, t(4)).await.expect("due again");
    assert_eq!(deliveries(&store, lead).await, [both(Pendiente, t(2))]);
    let nuevo = redactar(&store, lead, "y").await;
    let (id, quien) = issue(&store, &nuevo).await;
    assert_eq!(deliveries(&store, lead).await, [both(Pendiente, t(2)), both(Fallida, t(2))]);
    terminar(&store, fin(id, quien, Resultado::Hecho, t(3))).await;
    let (id, quien) = issue(&store, &nuevo).await;
    terminar(&store, fin(id, quien, Resultado::Muerto, t(4))).await;
    assert_eq!(deliveries(&store, lead).await[0], both(Entregada, t(3)));
}
