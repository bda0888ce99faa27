//! The model's outbox and loop: jobs in a plain list in the order they were made, leases by the machine's clock.

use std::collections::BTreeMap;
use std::time::Instant;

use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::evento::Evento;
use embudo_domain::ingesta::Momento;
use embudo_domain::senal::{MensajeriaSenal, PerfilSenal};
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, ProcesoId, Timestamp, TrabajoId};

use super::world::Mundo;
use embudo_store::cola::{
    Arriendo, BucleVencido, CargaNueva, Cupo, FiltroTrabajos, FinIntento, JobCount, NuevoTrabajo, Resultado,
    VencerBucle,
};
use embudo_store::{Result, StoreError};

/// A job with what it does not show of itself.
#[derive(Debug, Clone)]
pub(crate) struct Puesto {
    pub(crate) trabajo: Trabajo,
    arriendo: Option<(ProcesoId, Instant)>,
    pub(crate) entregas: Vec<Entrega>,
}

impl Puesto {
    fn pendiente(&self) -> bool {
        self.trabajo.estado == EstadoTrabajo::Pendiente
    }

    fn libre(&self) -> bool {
        self.arriendo.is_none_or(|(_, hasta)| hasta <= Instant::now())
    }

    pub(crate) fn de(&self, quien: ProcesoId) -> bool {
        self.pendiente() && self.arriendo.is_some_and(|(q, _)| q == quien)
    }

    fn mismo_asunto(&self, lead: LeadId, tipo: TipoTrabajo) -> bool {
        self.trabajo.lead == lead && self.trabajo.tipo == tipo
    }

    fn acabar(&mut self, estado: EstadoTrabajo, en: Timestamp) {
        self.trabajo.estado = estado;
        self.trabajo.terminado_en = Some(en);
        self.arriendo = None;
    }
}

fn hasta(arriendo: Arriendo) -> (ProcesoId, Instant) {
    (arriendo.quien, Instant::now() + arriendo.dura)
}

impl Mundo {
    /// Makes jobs of a lead that exists, after everything else of the command.
    pub(crate) fn encolar(&mut self, lead: LeadId, nuevos: Vec<NuevoTrabajo>, en: Timestamp) {
        let ficha = self.ficha(lead).expect("the command found its lead");
        let empresa = &ficha.lead.empresa;
        for nuevo in nuevos {
            let quiere = empresa.avisos && empresa.email_avisos.is_some();
            if nuevo.tipo.es_aviso() && !quiere {
                continue;
            }
            if nuevo.tipo.se_sustituye() {
                let espera = |p: &&mut Puesto| p.mismo_asunto(lead, nuevo.tipo) && p.pendiente() && p.libre();
                self.cola.iter_mut().filter(espera).for_each(|p| p.acabar(EstadoTrabajo::Sustituido, en));
            }
            let carga = match nuevo.carga {
                CargaNueva::Perfil => serde_json::to_string(&PerfilSenal::from(&ficha)),
                CargaNueva::Mensajeria => serde_json::to_string(&MensajeriaSenal::from(&ficha.lead)),
                CargaNueva::Texto(texto) => Ok(texto),
            };
            let trabajo = Trabajo {
                id: nuevo.id,
                lead,
                empresa: empresa.id,
                tipo: nuevo.tipo,
                carga: carga.expect("signals are JSON"),
                estado: EstadoTrabajo::Pendiente,
                intentos: 0,
                proximo_en: nuevo.proximo_en.unwrap_or(en),
                en_duda: false,
                ultimo_error: None,
                creado_en: en,
                terminado_en: None,
            };
            let arriendo = nuevo.arriendo.map(hasta);
            self.cola.push(Puesto { trabajo, arriendo, entregas: vec![] });
        }
    }

    pub(crate) fn tomar(&mut self, cupos: &[Cupo], arriendo: Arriendo, ahora: Timestamp) -> Vec<Trabajo> {
        let mut tomados = Vec::new();
        for cupo in cupos {
            let sirve = |p: &&mut Puesto| {
                let t = &p.trabajo;
                let de_esos = t.tipo == cupo.tipo && (t.intentos == 0 || !cupo.solo_primeros);
                p.pendiente() && p.libre() && de_esos && t.proximo_en <= ahora
            };
            let mut sirven: Vec<&mut Puesto> = self.cola.iter_mut().filter(sirve).collect();
            sirven.sort_by_key(|p| p.trabajo.proximo_en);
            for p in sirven.into_iter().take(cupo.cuantos as usize) {
                p.arriendo = Some(hasta(arriendo));
                tomados.push(p.trabajo.clone());
            }
        }
        tomados
    }

    pub(crate) fn renovar(&mut self, ids: &[TrabajoId], arriendo: Arriendo) -> Vec<TrabajoId> {
        let suyos = self.cola.iter_mut().filter(|p| ids.contains(&p.trabajo.id) && p.de(arriendo.quien));
        let renovado = |p: &mut Puesto| {
            p.arriendo = Some(hasta(arriendo));
            p.trabajo.id
        };
        suyos.map(renovado).collect()
    }

    pub(crate) fn soltar(&mut self, quien: ProcesoId) -> u64 {
        let suyos = self.cola.iter_mut().filter(|p| p.de(quien));
        suyos.map(|p| p.arriendo = None).count() as u64
    }

    pub(crate) fn entregar(&mut self, id: TrabajoId, quien: ProcesoId) -> bool {
        let suyo = self.cola.iter_mut().find(|p| p.trabajo.id == id && p.de(quien));
        suyo.map(|p| p.trabajo.en_duda = true).is_some()
    }

    pub(crate) fn terminar(&mut self, fin: FinIntento) -> bool {
        let Some(n) = self.cola.iter().position(|p| p.trabajo.id == fin.id && p.de(fin.quien)) else {
            return false;
        };
        let (lead, tipo) = (self.cola[n].trabajo.lead, self.cola[n].trabajo.tipo);
        let hay_nuevo = tipo.se_sustituye() && self.cola[n + 1..].iter().any(|p| p.mismo_asunto(lead, tipo));
        let p = &self.cola[n];
        // The first attempt of this run; the attempt that ends now is not in the log yet.
        let first = p.entregas.len().checked_sub(p.trabajo.intentos as usize);
        let enviada = first.and_then(|n| p.entregas.get(n)).unwrap_or(&fin.entrega).inicio;
        let is_answered = fin.answerable().is_some() && !hay_nuevo && self.vuelta(lead, enviada).came();
        let p = &mut self.cola[n];
        p.arriendo = None;
        p.trabajo.intentos += 1;
        p.trabajo.en_duda &= fin.resultado == Resultado::Aparcado;
        if !fin.entrega.ok {
            p.trabajo.ultimo_error = fin.entrega.error.clone();
        }
        p.entregas.push(fin.entrega);
        match fin.resultado {
            Resultado::Hecho => p.acabar(EstadoTrabajo::Hecho, fin.en),
            _ if is_answered => p.acabar(EstadoTrabajo::Hecho, fin.en),
            Resultado::Reintentar(_) if hay_nuevo => p.acabar(EstadoTrabajo::Sustituido, fin.en),
            Resultado::Reintentar(cuando) => p.trabajo.proximo_en = cuando,
            Resultado::Muerto => p.acabar(EstadoTrabajo::Muerto, fin.en),
            Resultado::Aparcado => p.acabar(EstadoTrabajo::Aparcado, fin.en),
        }
        let (hecho, desde) = (p.trabajo.estado == EstadoTrabajo::Hecho, p.trabajo.creado_en);
        let vuelta = self.vuelta(lead, desde);
        let r = self.registro(lead).expect("a job has a lead");
        let answered = |e| Evento { ok: true, detalle: fin.answered.clone(), ..e };
        r.ficha.eventos.extend(fin.evento.map(|e| if is_answered { answered(e) } else { e }));
        if let Some(plazos) = fin.bucle.filter(|_| hecho) {
            r.ficha.lead.bucle = Bucle::tras_senal(r.ficha.lead.bucle, vuelta, fin.en, plazos);
        }
        if !is_answered {
            self.encolar(lead, fin.trabajos, fin.en);
        }
        true
    }

    /// What came in for a lead after a moment.
    fn vuelta(&mut self, lead: LeadId, desde: Timestamp) -> Vuelta {
        let r = self.registro(lead).expect("a job has a lead");
        let render = |f: &embudo_domain::ficha::Foto| f.momento == Momento::Despues && f.creada_en > desde;
        Vuelta {
            renders: r.ficha.fotos.iter().any(render),
            finalizar: r.finalizado_en.is_some_and(|f| f > desde),
        }
    }

    /// Ends the profile signals of a lead that were sent and wait; says whether there was one.
    pub(super) fn answer_waiting(&mut self, lead: LeadId, en: Timestamp) -> bool {
        let waits = |p: &&mut Puesto| {
            p.mismo_asunto(lead, TipoTrabajo::Perfil) && p.pendiente() && p.libre() && p.trabajo.intentos > 0
        };
        self.cola.iter_mut().filter(waits).map(|p| p.acabar(EstadoTrabajo::Hecho, en)).count() > 0
    }

    pub(crate) fn recuento(&self) -> Vec<JobCount> {
        let mut counts = BTreeMap::new();
        let counted = [EstadoTrabajo::Pendiente, EstadoTrabajo::Muerto, EstadoTrabajo::Aparcado];
        for t in self.cola.iter().map(|p| &p.trabajo).filter(|t| counted.contains(&t.estado)) {
            *counts.entry((t.tipo, t.estado)).or_default() += 1;
        }
        counts.into_iter().map(|((tipo, estado), count)| JobCount { tipo, estado, count }).collect()
    }

    /// When the next job that nobody holds is due, and whether a living lease could run out before.
    pub(crate) fn proximo(&self, tipos: &[TipoTrabajo]) -> (Option<Timestamp>, bool) {
        let pendientes = || self.cola.iter().filter(|p| p.pendiente());
        let de_esos = |p: &&Puesto| p.libre() && tipos.contains(&p.trabajo.tipo);
        let libres = pendientes().filter(de_esos).map(|p| p.trabajo.proximo_en).min();
        (libres, pendientes().any(|p| !p.libre()))
    }

    pub(crate) fn puesto(&self, id: TrabajoId) -> Result<&Puesto> {
        self.cola.iter().find(|p| p.trabajo.id == id).ok_or(StoreError::TrabajoNotFound)
    }

    pub(crate) fn lista_trabajos(&self, f: &FiltroTrabajos) -> Vec<Trabajo> {
        let cumple = |t: &&Trabajo| {
            f.estado.is_none_or(|e| t.estado == e)
                && f.tipo.is_none_or(|tipo| t.tipo == tipo)
                && f.lead.is_none_or(|lead| t.lead == lead)
        };
        let mut lista: Vec<Trabajo> = self.cola.iter().map(|p| &p.trabajo).filter(cumple).cloned().collect();
        lista.sort_by_key(|t| std::cmp::Reverse((t.creado_en, t.id)));
        lista
    }

    fn no_hecho(&mut self, id: TrabajoId) -> Result<&mut Puesto> {
        let p = self.cola.iter_mut().find(|p| p.trabajo.id == id).ok_or(StoreError::TrabajoNotFound)?;
        if p.trabajo.estado == EstadoTrabajo::Hecho {
            return Err(StoreError::TrabajoTerminado);
        }
        Ok(p)
    }

    pub(crate) fn reintentar(&mut self, id: TrabajoId, en: Timestamp) -> Result<()> {
        let p = self.no_hecho(id)?;
        p.trabajo.proximo_en = en;
        if !p.pendiente() {
            let t = &mut p.trabajo;
            (t.estado, t.intentos, t.en_duda, t.terminado_en) = (EstadoTrabajo::Pendiente, 0, false, None);
        }
        Ok(())
    }

    pub(crate) fn descartar(&mut self, id: TrabajoId, en: Timestamp) -> Result<()> {
        self.no_hecho(id)?.acabar(EstadoTrabajo::Descartado, en);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn purgar_trabajos(&mut self, antes: Timestamp, max: u32) -> u64 {
        let acabados = self.cola.iter().filter(|p| p.trabajo.terminado_en.is_some_and(|fin| fin < antes));
        let estos: Vec<TrabajoId> = acabados.map(|p| p.trabajo.id).take(max as usize).collect();
        for registrada in &mut self.entregas {
            let quedo = self.cola.iter().find(|p| p.trabajo.id == registrada.encargo.trabajo);
            if let Some(p) = quedo.filter(|p| estos.contains(&p.trabajo.id)) {
                registrada.quedo = Some((p.trabajo.estado, p.trabajo.terminado_en));
            }
        }
        self.cola.retain(|p| !estos.contains(&p.trabajo.id));
        estos.len() as u64
    }

    pub(crate) fn vencidos(&self, ahora: Timestamp) -> Vec<BucleVencido> {
        let bucles = self.registros.values().filter_map(|r| Some((r.ficha.lead.id, r.ficha.lead.bucle?)));
        let vencidos = bucles.filter(|(_, b)| !b.vencido && b.limite <= ahora);
        vencidos.map(|(lead, b)| BucleVencido { lead, paso: b.paso, resenales: b.resenales }).collect()
    }

    pub(crate) fn vencer(&mut self, v: VencerBucle) -> bool {
        let Some(r) = self.registros.get_mut(&v.lead) else { return false };
        let Some(b) = r.ficha.lead.bucle.as_mut() else { return false };
        if b.paso != v.paso || b.vencido || b.limite > v.en {
            return false;
        }
        b.vencido = true;
        b.resenales += u32::from(v.resenal.is_some());
        r.ficha.eventos.push(v.evento);
        self.encolar(v.lead, v.resenal.into_iter().chain(v.avisos).collect(), v.en);
        true
    }
}
