//! What became of a quote's way to its client: by mail, and by the messaging signal.

use jiff::Timestamp;

use super::PresupuestoResumen;
use crate::trabajo::EstadoTrabajo;
use crate::{PresupuestoId, TrabajoId};

enumeracion! {
    /// How a quote goes to its client.
    CanalEntrega { Email = "email", Messaging = "messaging" }
}

enumeracion! {
    /// Where a delivery stands.
    EstadoEntrega {
        /// It is tried, now or later.
        Pendiente = "pendiente",
        /// The mail server or the receiver took it.
        Entregada = "entregada",
        /// Nothing is configured to carry it: nothing left the house.
        Simulada = "simulada",
        /// It did not arrive, and will not by itself.
        Fallida = "fallida",
        /// It may have arrived: a mail that was handed over without a reply. A person decides.
        Dudosa = "dudosa",
    }
}

impl EstadoEntrega {
    /// Where a delivery stands, by the job that makes it. One without a job is only simulated.
    pub fn of(simulada: bool, trabajo: Option<EstadoTrabajo>) -> Self {
        match trabajo {
            _ if simulada => Self::Simulada,
            Some(EstadoTrabajo::Pendiente) => Self::Pendiente,
            Some(EstadoTrabajo::Hecho) => Self::Entregada,
            Some(EstadoTrabajo::Aparcado) => Self::Dudosa,
            Some(EstadoTrabajo::Muerto | EstadoTrabajo::Sustituido | EstadoTrabajo::Descartado) | None => {
                Self::Fallida
            }
        }
    }
}

/// A delivery that is ordered with the quote's PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntregaEncargada {
    /// How it goes.
    pub canal: CanalEntrega,
    /// The job that makes it; of a simulated one, the job that would have.
    pub trabajo: TrabajoId,
    /// Nothing is configured to carry it.
    pub simulada: bool,
}

/// A delivery as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntregaPresupuesto {
    /// How it goes.
    pub canal: CanalEntrega,
    /// Where it stands.
    pub estado: EstadoEntrega,
    /// Since when.
    pub en: Timestamp,
}

impl EntregaPresupuesto {
    /// Gives each quote its deliveries. They come in the order in which they were ordered.
    pub fn repartir(presupuestos: &mut [PresupuestoResumen], todas: &[(PresupuestoId, Self)]) {
        for p in presupuestos {
            let suyas = todas.iter().filter(|(de, _)| *de == p.id).map(|(_, entrega)| *entrega);
            p.entregas = Self::por_canal(&suyas.collect::<Vec<_>>());
        }
    }

    /// One for each channel. A quote may be sent several times: what arrived once has arrived, and of what never did the last
    /// attempt counts.
    fn por_canal(todas: &[Self]) -> Vec<Self> {
        let canales = CanalEntrega::PALABRAS.iter().filter_map(|p| CanalEntrega::parse(p));
        let cuenta = |canal| {
            let suyas = || todas.iter().rev().filter(move |e| e.canal == canal);
            suyas().find(|e| e.estado == EstadoEntrega::Entregada).or_else(|| suyas().next()).copied()
        };
        canales.filter_map(cuenta).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::CanalEntrega::{Email, Messaging};
    use super::EstadoEntrega::{Entregada, Fallida, Pendiente, Simulada};
    use super::*;

    fn una(canal: CanalEntrega, estado: EstadoEntrega, segundo: i64) -> EntregaPresupuesto {
        EntregaPresupuesto { canal, estado, en: Timestamp::from_second(segundo).expect("a moment") }
    }

    #[test]
    fn a_delivery_stands_where_its_job_stands() {
        let de = |palabra: &&str| EstadoEntrega::of(false, EstadoTrabajo::parse(palabra)).as_str();
        let todos: Vec<_> = EstadoTrabajo::PALABRAS.iter().map(de).collect();
        assert_eq!(todos, ["pendiente", "entregada", "fallida", "fallida", "dudosa", "fallida"]);
        assert_eq!(EstadoEntrega::of(true, None), Simulada);
    }

    #[test]
    fn each_channel_shows_what_arrived_or_else_the_last_attempt() {
        let caso = |todas: &[EntregaPresupuesto]| EntregaPresupuesto::por_canal(todas);
        assert_eq!(caso(&[]), []);
        let (llego, luego) = (una(Email, Entregada, 1), una(Email, Fallida, 2));
        let (antes, ahora) = (una(Messaging, Simulada, 1), una(Messaging, Pendiente, 3));
        assert_eq!(caso(&[antes, llego, luego, ahora]), [llego, ahora]);
        assert_eq!(caso(&[luego]), [luego]);
    }
}
