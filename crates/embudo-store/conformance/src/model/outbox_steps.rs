//! The dice of the outbox: claims, attempts that end, people who retry and discard, deadlines that pass.
//!
//! Two processes share the queue under leases of an hour, so that nothing here depends on how fast the machine is.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::bucle::{PasoBucle, Plazos};
use embudo_domain::evento::TipoEvento;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, ProcesoId, Timestamp, TrabajoId};
use jiff::SignedDuration;

use super::steps::Sorteo;
use super::world::Mundo;
use crate::data::outbox::{entrega_mal, entrega_ok};
use crate::data::{evento, outcome};
use embudo_store::cola::{Arriendo, CargaNueva, Cupo, FinIntento, NuevoTrabajo, Resultado, VencerBucle};
use embudo_store::{Outcome, Result, Store};

/// One step of the outbox.
#[derive(Debug, Clone)]
pub(crate) enum PasoCola {
    Tomar(Vec<Cupo>, Arriendo, Timestamp),
    Renovar(Vec<TrabajoId>, Arriendo),
    Soltar(ProcesoId),
    Entregar(TrabajoId, ProcesoId),
    Terminar(Box<FinIntento>),
    Reintentar(TrabajoId, Timestamp),
    Descartar(TrabajoId, Timestamp),
    Vencer(Box<VencerBucle>),
    Completar(String, String, Outcome),
}

/// How long a step of the loop may take within a sequence.
pub(super) const PLAZOS: Plazos =
    Plazos { renders: SignedDuration::from_secs(2), finalizar: SignedDuration::from_secs(3) };

/// Jobs in words that can be compared; their order across kinds is left open.
fn en_palabras(mut trabajos: Vec<Trabajo>) -> String {
    trabajos.sort_by_key(|t| t.id);
    format!("{trabajos:?}")
}

fn ids_en_palabras(mut ids: Vec<TrabajoId>) -> String {
    ids.sort();
    format!("{ids:?}")
}

impl Mundo {
    pub(super) fn hacer_cola(&mut self, paso: PasoCola) -> Result<String> {
        Ok(match paso {
            PasoCola::Tomar(cupos, arriendo, ahora) => en_palabras(self.tomar(&cupos, arriendo, ahora)),
            PasoCola::Renovar(ids, arriendo) => ids_en_palabras(self.renovar(&ids, arriendo)),
            PasoCola::Soltar(quien) => self.soltar(quien).to_string(),
            PasoCola::Entregar(id, quien) => self.entregar(id, quien).to_string(),
            PasoCola::Terminar(fin) => self.terminar(*fin).to_string(),
            PasoCola::Reintentar(id, en) => self.reintentar(id, en).map(|()| String::new())?,
            PasoCola::Descartar(id, en) => self.descartar(id, en).map(|()| String::new())?,
            PasoCola::Vencer(v) => self.vencer(*v).to_string(),
            PasoCola::Completar(ambito, clave, outcome) => {
                self.completar(ambito, clave, &outcome, None);
                String::new()
            }
        })
    }
}

/// Does one step on the store; what it answered, in the model's words.
pub(super) async fn hacer(store: &Arc<dyn Store>, paso: PasoCola) -> Result<String> {
    Ok(match paso {
        PasoCola::Tomar(cupos, arriendo, ahora) => en_palabras(store.claim(cupos, arriendo, ahora).await?),
        PasoCola::Renovar(ids, arriendo) => ids_en_palabras(store.renew(ids, arriendo).await?),
        PasoCola::Soltar(quien) => store.release(quien).await?.to_string(),
        PasoCola::Entregar(id, quien) => store.begin_send(id, quien).await?.to_string(),
        PasoCola::Terminar(fin) => store.finish(*fin).await?.to_string(),
        PasoCola::Reintentar(id, en) => store.retry(id, en).await.map(|()| String::new())?,
        PasoCola::Descartar(id, en) => store.discard(id, en).await.map(|()| String::new())?,
        PasoCola::Vencer(v) => store.vencer_bucle(*v).await?.to_string(),
        PasoCola::Completar(ambito, clave, outcome) => {
            store.complete_outcome(ambito, clave, outcome, None).await.map(|()| String::new())?
        }
    })
}

impl Sorteo {
    fn quien(&mut self) -> ProcesoId {
        let procesos = self.procesos;
        self.azar.uno(&procesos)
    }

    fn arriendo(&mut self) -> Arriendo {
        Arriendo { quien: self.quien(), dura: Duration::from_secs(3600) }
    }

    /// A new job of any kind, leased or not.
    pub(super) fn nuevo_trabajo(&mut self) -> NuevoTrabajo {
        let tipo = self.azar.uno(&TipoTrabajo::TODOS);
        let carga = match tipo {
            TipoTrabajo::Perfil => CargaNueva::Perfil,
            TipoTrabajo::Mensajeria => CargaNueva::Mensajeria,
            _ => CargaNueva::Texto(format!(r#"{{"z": 1.0,"a":{}}}"#, self.azar.hasta(9))),
        };
        let arriendo = self.azar.de_cada(2).then(|| self.arriendo());
        NuevoTrabajo { id: TrabajoId(self.azar.uuid()), tipo, carga, arriendo, proximo_en: None }
    }

    /// A step of the outbox at a moment that no other step has.
    pub(super) fn cola(&mut self, mundo: &Mundo, lead: LeadId, en: Timestamp) -> PasoCola {
        let pendientes: Vec<TrabajoId> = mundo.ids(|t| t.estado == EstadoTrabajo::Pendiente);
        let todos = mundo.ids(|_| true);
        let desconocido = TrabajoId(self.azar.uuid());
        let de = |azar: &mut super::super::data::Azar, ids: &[TrabajoId]| {
            if ids.is_empty() || azar.de_cada(20) { desconocido } else { azar.uno(ids) }
        };
        let (uno, cualquiera) = (de(&mut self.azar, &pendientes), de(&mut self.azar, &todos));
        match self.azar.hasta(16) {
            0..=3 => {
                let solo_primeros = self.azar.de_cada(4);
                let tipos = TipoTrabajo::TODOS.into_iter().filter(|_| !self.azar.de_cada(4));
                let cupos = tipos.map(|tipo| Cupo { tipo, cuantos: 1000, solo_primeros }).collect();
                PasoCola::Tomar(cupos, self.arriendo(), en)
            }
            4 => PasoCola::Renovar(pendientes, self.arriendo()),
            5 => PasoCola::Soltar(self.quien()),
            6 => PasoCola::Entregar(uno, self.quien()),
            7..=11 => PasoCola::Terminar(Box::new(self.fin(uno, en))),
            12 => PasoCola::Reintentar(cualquiera, en),
            13 => PasoCola::Descartar(cualquiera, en),
            14 => {
                let vencido = mundo.vencidos(en).first().copied();
                let paso = vencido.map_or(PasoBucle::EsperandoRenders, |v| v.paso);
                let resenal = NuevoTrabajo {
                    tipo: TipoTrabajo::Perfil,
                    carga: CargaNueva::Perfil,
                    ..self.nuevo_trabajo()
                };
                PasoCola::Vencer(Box::new(VencerBucle {
                    lead: vencido.map_or(lead, |v| v.lead),
                    paso,
                    evento: evento(TipoEvento::BucleVencido, en),
                    resenal: self.azar.de_cada(2).then_some(resenal),
                    avisos: if self.azar.de_cada(2) { vec![self.nuevo_trabajo()] } else { vec![] },
                    en,
                }))
            }
            _ => {
                let (ambito, clave) = mundo.clave_en_curso().unwrap_or_default();
                PasoCola::Completar(ambito, clave, outcome("completa"))
            }
        }
    }

    fn fin(&mut self, id: TrabajoId, en: Timestamp) -> FinIntento {
        let luego = en + SignedDuration::from_secs(i64::try_from(self.azar.hasta(4)).expect("small"));
        let resultado = self.azar.uno(&[
            Resultado::Hecho,
            Resultado::Hecho,
            Resultado::Reintentar(luego),
            Resultado::Reintentar(luego),
            Resultado::Muerto,
            Resultado::Aparcado,
        ]);
        let ok = resultado == Resultado::Hecho;
        let answered = self.azar.de_cada(2).then(|| "ya ha vuelto".to_owned());
        FinIntento {
            id,
            quien: self.quien(),
            resultado,
            entrega: if ok { entrega_ok(en) } else { entrega_mal(en, "no") },
            evento: self.azar.de_cada(2).then(|| evento(TipoEvento::PerfilCompleto, en)),
            bucle: ((ok || answered.is_some()) && !self.azar.de_cada(3)).then_some(PLAZOS),
            answered,
            trabajos: if self.azar.de_cada(5) { vec![self.nuevo_trabajo()] } else { vec![] },
            en,
        }
    }
}
