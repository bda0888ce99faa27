//! The model: what a store holds, in plain maps, with every rule in its shortest form.
//!
//! It is written from the contract, not from an engine; it knows no transaction because it does one thing at a time.

use std::collections::{BTreeMap, HashMap};

use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{
    CambioEstado, Ficha, Foto, IntentoGuardado, Lead, LeadResumen, Nota, TurnoGuardado,
};
use embudo_domain::ingesta::Momento;
use embudo_domain::orden::Numerador;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::presupuesto::{EntregaEncargada, EntregaPresupuesto, EstadoEntrega, Presupuesto};
use embudo_domain::rendicion::Rendicion;
use embudo_domain::trabajo::EstadoTrabajo;
use embudo_domain::trabajo::Trabajo;
use embudo_domain::{Huella, LeadId, PresupuestoId, Timestamp, TrabajoId, Zona};

use super::outbox::Puesto;
use super::steps::Paso;
use crate::data::cambio;
use embudo_store::command::{
    Answer, AppendTurno, ClearPerfil, CreateLead, Ingest, MARK_LIFE, MarcaBlob, RecordEvento, RecordIntento,
    SetNota, UpdateContacto, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::idempotencia::{KeyRow, decide, write_jobs};
use embudo_store::outcome::TYPED;
use embudo_store::query::{CursorEvento, EventoEnLista, FiltroLeads, texto_busqueda};
use embudo_store::{Hecho, Idempotencia, Outcome, Result, StoreError};

/// Everything.
#[derive(Default)]
pub(crate) struct Mundo {
    pub(crate) empresas: Vec<Empresa>,
    pub(super) registros: BTreeMap<LeadId, Registro>,
    /// Marks and traces, with the moment of the mark.
    pub(crate) marcas: BTreeMap<(LeadId, Huella), (MarcaBlob, Timestamp)>,
    ultima_vez: i64,
    pub(super) claves: HashMap<(String, String), KeyRow>,
    /// Jobs, in the order they were made.
    pub(super) cola: Vec<Puesto>,
    /// Quotes, in the order they were drafted.
    pub(crate) presupuestos: Vec<Presupuesto>,
    /// Their deliveries, in the order they were ordered.
    pub(crate) entregas: Vec<Registrada>,
    /// What was made of photos.
    pub(crate) rendiciones: Vec<Rendicion>,
}

/// A delivery of a quote.
pub(crate) struct Registrada {
    pub(crate) de: PresupuestoId,
    pub(crate) encargo: EntregaEncargada,
    pub(crate) en: Timestamp,
    /// How its job stood when it was purged.
    pub(crate) quedo: Option<(EstadoTrabajo, Option<Timestamp>)>,
}

/// A lead with what its record does not show.
pub(crate) struct Registro {
    /// Its events are the lead's own here; changes of state join them when it is read.
    pub(crate) ficha: Ficha,
    email_normal: String,
    historial: Vec<CambioEstado>,
    /// The last call with `finalizar`.
    pub(super) finalizado_en: Option<Timestamp>,
}

impl Registro {
    fn anotar(&mut self, estado_wa: Option<EstadoWa>, bot_step: Option<&String>, en: Timestamp) {
        let estado_wa = estado_wa.map(|valor| ("estado_wa", valor.to_string()));
        let bot_step = bot_step.map(|valor| ("bot_step", valor.clone()));
        for (campo, valor) in estado_wa.into_iter().chain(bot_step) {
            self.historial.push(CambioEstado { campo: campo.to_owned(), valor, creado_en: en });
        }
    }

    fn busqueda(&self) -> String {
        let l = &self.ficha.lead;
        texto_busqueda(&l.nombre, &l.email, &l.telefono_e164, l.provincia.as_deref())
    }
}

impl Mundo {
    /// Does one step; what a store must answer.
    pub(crate) fn hacer(&mut self, paso: Paso) -> Result<String> {
        if let Some(decidido) = paso.clave().and_then(|clave| self.decidir(clave)) {
            return decidido.map(|hecho| format!("{hecho:?}"));
        }
        let clave = paso.clave().cloned();
        let respuesta = match paso {
            Paso::Cola(paso) => return self.hacer_cola(paso),
            Paso::Crear(c) => self.crear(*c)?,
            Paso::Contacto(c) => self.contacto(c)?,
            Paso::Turno(c) => self.turno(c)?,
            Paso::Perfil(c) => self.perfil(&c)?,
            Paso::Calificacion(c) => self.calificacion(c)?,
            Paso::Intento(c) => self.intento(c)?,
            Paso::Ingesta(c) => self.ingesta(c)?,
            Paso::Evento(c) => self.evento(c)?,
            Paso::Vaciar(c) => self.vaciar(c)?,
            Paso::Nota(c) => self.nota(c)?,
            Paso::BorrarFoto(lead, foto) => {
                let fotos = &mut self.registro(lead).map_err(|_| StoreError::FotoNotFound)?.ficha.fotos;
                let lugar = fotos.iter().position(|f| f.id == foto).ok_or(StoreError::FotoNotFound)?;
                fotos.remove(lugar);
                self.rendiciones.retain(|r| (r.lead, r.foto) != (lead, foto));
                String::new()
            }
            Paso::Marcar(lead, huella, en) => {
                let viva = self.marcas.get(&(lead, huella));
                let viva = viva.is_some_and(|(m, desde)| !m.barrido && *desde >= en - MARK_LIFE);
                let libre = !viva && !self.en_uso(lead, huella);
                if libre {
                    self.ultima_vez += 1;
                    let marca = MarcaBlob { huella, vez: self.ultima_vez, barrido: false };
                    self.marcas.insert((lead, huella), (marca, en));
                }
                libre.to_string()
            }
            Paso::Barrido(lead, huella) => {
                self.marcas.entry((lead, huella)).and_modify(|(m, _)| m.barrido = true);
                String::new()
            }
        };
        if let Some(clave) = clave {
            self.guardar(clave);
        }
        Ok(respuesta)
    }

    /// What a stored key means for a call that brings it again; `None` when it is free.
    pub(crate) fn decidir(&self, clave: &Idempotencia) -> Option<Result<Hecho>> {
        decide(self.claves.get(&(clave.ambito.clone(), clave.clave.clone()))?, clave)
    }

    /// Forgets at most `max` keys that expired.
    #[cfg(test)]
    pub(crate) fn purgar(&mut self, en: Timestamp, max: u32) -> u64 {
        let expiradas = self.claves.iter().filter(|(_, fila)| fila.expira_en < en);
        let estas: Vec<_> = expiradas.map(|(k, _)| k.clone()).take(max as usize).collect();
        estas.iter().for_each(|k| drop(self.claves.remove(k)));
        estas.len() as u64
    }

    fn guardar(&mut self, clave: Idempotencia) {
        let row = KeyRow {
            cuerpo_sha256: clave.cuerpo_sha256.to_vec(),
            status: TYPED,
            cuerpo: clave.outcome.write(),
            trabajos: write_jobs(&clave.trabajos),
            expira_en: clave.expira_en,
        };
        self.claves.insert((clave.ambito, clave.clave), row);
    }

    /// Makes a provisional outcome final.
    pub(crate) fn completar(
        &mut self,
        ambito: String,
        clave: String,
        outcome: &Outcome,
        expira_en: Option<Timestamp>,
    ) {
        if let Some(fila) = self.claves.get_mut(&(ambito, clave)).filter(|f| !f.trabajos.is_empty()) {
            (fila.cuerpo, fila.trabajos) = (outcome.write(), String::new());
            fila.expira_en = expira_en.unwrap_or(fila.expira_en);
        }
    }

    pub(crate) fn registro(&mut self, lead: LeadId) -> Result<&mut Registro> {
        self.registros.get_mut(&lead).ok_or(StoreError::LeadNotFound)
    }

    fn crear(&mut self, c: CreateLead) -> Result<String> {
        let empresa = self.empresas.iter().find(|e| Some(e.id) == c.empresa);
        let empresa = empresa.ok_or(StoreError::EmpresaNotFound)?.clone();
        let mut utm = c.utm;
        utm.sort();
        let con_momento =
            |k: Consentimiento| Consentimiento { otorgado_en: k.otorgado_en.or(Some(c.en)), ..k };
        let lead = Lead {
            id: c.id,
            empresa,
            nombre: c.nombre,
            telefono: c.telefono.tecleado,
            telefono_e164: c.telefono.e164,
            email: c.email.tecleado,
            provincia: c.provincia,
            perfil: c.perfil.clone(),
            utm,
            creado_en: c.en,
            actualizado_en: c.en,
            bucle: None,
        };
        let ficha = Ficha {
            lead,
            duplicados: vec![],
            fotos: vec![],
            notas: vec![],
            conversacion: vec![],
            calificacion: None,
            intentos: vec![],
            eventos: vec![],
            consentimientos: c.consentimientos.into_iter().map(con_momento).collect(),
            presupuestos: vec![],
        };
        let mut registro =
            Registro { ficha, email_normal: c.email.normal, historial: vec![], finalizado_en: None };
        registro.anotar(c.perfil.estado_wa, c.perfil.bot_step.as_ref(), c.en);
        self.registros.insert(c.id, registro);
        self.encolar(c.id, c.trabajos, c.en);
        ahora()
    }

    fn contacto(&mut self, c: UpdateContacto) -> Result<String> {
        let r = self.registro(c.lead)?;
        let lead = &mut r.ficha.lead;
        if let Some(nombre) = c.patch.nombre {
            lead.nombre = nombre;
        }
        if let Some(telefono) = c.patch.telefono {
            (lead.telefono, lead.telefono_e164) = (telefono.tecleado, telefono.e164);
        }
        if let Some(email) = c.patch.email {
            (lead.email, r.email_normal) = (email.tecleado, email.normal);
        }
        lead.provincia = c.patch.provincia.or(lead.provincia.take());
        lead.actualizado_en = c.en;
        Ok(String::new())
    }

    fn turno(&mut self, c: AppendTurno) -> Result<String> {
        let r = self.registro(c.lead)?;
        let turno = c.turno;
        r.anotar(turno.estado_wa, turno.bot_step.as_ref(), c.en);
        let lead = &mut r.ficha.lead;
        if turno.estado_wa.is_some() || turno.bot_step.is_some() {
            lead.actualizado_en = c.en;
        }
        lead.perfil.estado_wa = turno.estado_wa.or(lead.perfil.estado_wa);
        lead.perfil.bot_step = turno.bot_step.or(lead.perfil.bot_step.take());
        r.ficha.conversacion.push(TurnoGuardado {
            id: c.id,
            rol: turno.rol,
            mensaje: turno.mensaje,
            media_type: turno.media_type,
            media_url: turno.media_url,
            transcripcion_audio: turno.transcripcion_audio,
            creado_en: c.en,
        });
        ahora()
    }

    fn perfil(&mut self, c: &UpdatePerfil) -> Result<String> {
        let r = self.registro(c.lead)?;
        r.anotar(c.perfil.estado_wa, c.perfil.bot_step.as_ref(), c.en);
        r.ficha.lead.perfil.overlay(&c.perfil);
        r.ficha.lead.actualizado_en = c.en;
        ahora()
    }

    fn vaciar(&mut self, c: ClearPerfil) -> Result<String> {
        let lead = &mut self.registro(c.lead)?.ficha.lead;
        for answer in c.answers {
            match answer {
                Answer::M2Suelo => lead.perfil.m2_suelo = None,
                Answer::Estructural => lead.perfil.estructural = None,
                Answer::Presupuesto => {
                    lead.perfil.presupuesto_declarado = None;
                    lead.perfil.presupuesto_target_cents = None;
                }
                Answer::TasteText => lead.perfil.taste_text = None,
            }
        }
        lead.actualizado_en = c.en;
        Ok(String::new())
    }

    fn nota(&mut self, c: SetNota) -> Result<String> {
        let notas = &mut self.registro(c.lead)?.ficha.notas;
        match (notas.iter().position(|n| n.id == c.id), c.texto) {
            (Some(lugar), Some(texto)) => notas[lugar].texto = texto,
            (Some(lugar), None) => drop(notas.remove(lugar)),
            (None, Some(texto)) => {
                notas.push(Nota { id: c.id, texto, zona: Some(c.zona), creada_en: c.en });
            }
            (None, None) => {}
        }
        Ok(String::new())
    }

    fn calificacion(&mut self, c: UpsertCalificacion) -> Result<String> {
        let guardada = self.registro(c.lead)?.ficha.calificacion.get_or_insert_default();
        let de = c.calificacion;
        guardada.score = de.score.or(guardada.score);
        guardada.nivel = de.nivel.or(guardada.nivel);
        guardada.criterios = de.criterios.or(guardada.criterios.take());
        guardada.notas_agente = de.notas_agente.or(guardada.notas_agente.take());
        ahora()
    }

    fn intento(&mut self, c: RecordIntento) -> Result<String> {
        let intentos = &mut self.registro(c.lead)?.ficha.intentos;
        intentos.push(IntentoGuardado { id: c.id, intento: c.intento, creado_en: c.en });
        ahora()
    }

    /// Names blobs: refused while one is being swept, or was since its bytes were put; known traces go.
    pub(crate) fn usar(
        &mut self,
        lead: LeadId,
        huellas: &[Huella],
        barridos: &[(Huella, i64)],
    ) -> Result<()> {
        let impide = |h: &Huella| {
            let marca = self.marcas.get(&(lead, *h)).map(|(m, _)| *m);
            marca.is_some_and(|m| !m.barrido || !barridos.contains(&(*h, m.vez)))
        };
        if huellas.iter().any(impide) {
            return Err(StoreError::BlobMarked);
        }
        self.marcas.retain(|(de, h), _| *de != lead || !huellas.contains(h));
        Ok(())
    }

    fn ingesta(&mut self, c: Ingest) -> Result<String> {
        let huellas: Vec<Huella> = c.fotos.iter().flat_map(|f| f.imagen.huellas()).collect();
        self.registro(c.lead)?;
        self.usar(c.lead, &huellas, &c.barridos)?;
        let vuelta =
            Vuelta { renders: c.fotos.iter().any(|f| f.momento == Momento::Despues), finalizar: c.finalizar };
        let is_answer = vuelta.came() && self.answer_waiting(c.lead, c.en);
        let r = self.registro(c.lead)?;
        if c.finalizar {
            r.finalizado_en = Some(c.en);
        }
        let ficha = &mut r.ficha;
        let siguiente = if is_answer { Bucle::tras_senal } else { Bucle::tras_ingesta };
        ficha.lead.bucle = siguiente(ficha.lead.bucle, vuelta, c.en, c.plazos);
        let maximo = ficha.fotos.iter().map(|f| f.orden).reduce(f64::max);
        let mut numerador = Numerador::after(maximo);
        for f in c.fotos {
            ficha.fotos.push(Foto {
                id: f.id,
                zona: f.zona.unwrap_or(Zona::supuesta(ficha.lead.perfil.tipo_reforma)),
                momento: f.momento,
                orden: numerador.siguiente(f.orden),
                imagen: f.imagen,
                creada_en: c.en,
            });
        }
        // Stable: photos with the same number stay in the order they came.
        ficha.fotos.sort_by(|a, b| a.orden.partial_cmp(&b.orden).expect("numbers are finite"));
        for n in c.notas {
            ficha.notas.push(Nota { id: n.id, texto: n.texto, zona: n.zona, creada_en: c.en });
        }
        ficha.eventos.extend(c.eventos);
        ficha.eventos.extend(is_answer.then(|| Evento::signal_answered(c.en)));
        self.encolar(c.lead, c.trabajos, c.en);
        ahora()
    }

    fn evento(&mut self, c: RecordEvento) -> Result<String> {
        self.registro(c.lead)?.ficha.eventos.extend(c.evento);
        self.encolar(c.lead, c.trabajos, c.en);
        ahora()
    }

    /// Every lead's id.
    pub(crate) fn leads(&self) -> impl Iterator<Item = LeadId> {
        self.registros.keys().copied()
    }

    /// The record that a store must show.
    pub(crate) fn ficha(&self, lead: LeadId) -> Result<Ficha> {
        let r = self.registros.get(&lead).ok_or(StoreError::LeadNotFound)?;
        let (yo, mut ficha) = (&r.ficha.lead, r.ficha.clone());
        let igual = |o: &&Registro| {
            let otro = &o.ficha.lead;
            otro.id != lead
                && otro.empresa.id == yo.empresa.id
                && (otro.telefono_e164 == yo.telefono_e164 || o.email_normal == r.email_normal)
        };
        ficha.duplicados = self.registros.values().filter(igual).map(|o| o.ficha.lead.id).collect();
        ficha.eventos = self.eventos(lead)?.into_iter().map(|e| e.evento).collect();
        let suyos = self.presupuestos.iter().filter(|p| p.lead == lead);
        ficha.presupuestos = suyos.rev().map(Presupuesto::resumen).collect();
        EntregaPresupuesto::repartir(&mut ficha.presupuestos, &self.entregas());
        self.con_empresa(&mut ficha.lead);
        Ok(ficha)
    }

    /// How every delivery stands.
    fn entregas(&self) -> Vec<(PresupuestoId, EntregaPresupuesto)> {
        let una = |r: &Registrada| {
            let EntregaEncargada { canal, trabajo, simulada } = r.encargo;
            let vivo = self.puesto(trabajo).ok().map(|p| (p.trabajo.estado, p.trabajo.terminado_en));
            let trabajo = vivo.or(r.quedo);
            let estado = EstadoEntrega::of(simulada, trabajo.map(|(estado, _)| estado));
            let en = trabajo.and_then(|(_, terminado_en)| terminado_en).unwrap_or(r.en);
            (r.de, EntregaPresupuesto { canal, estado, en })
        };
        self.entregas.iter().map(una).collect()
    }

    /// A company may have changed since the lead was written.
    fn con_empresa(&self, lead: &mut Lead) {
        let empresa = self.empresas.iter().find(|e| e.id == lead.empresa.id);
        lead.empresa = empresa.expect("companies are never removed").clone();
    }

    /// The events that a store must show, changes of state among them.
    pub(crate) fn eventos(&self, lead: LeadId) -> Result<Vec<EventoEnLista>> {
        let r = self.registros.get(&lead).ok_or(StoreError::LeadNotFound)?;
        let cambios = r.historial.iter().map(|c| {
            let tipo = TipoEvento::parse(&c.campo).expect("a field of the history is a kind of event");
            cambio(tipo, &c.valor, c.creado_en)
        });
        let con_lugar = |clase| {
            move |(n, evento): (usize, Evento)| {
                let n = i64::try_from(n).expect("few events");
                EventoEnLista { cursor: CursorEvento { creado_en: evento.creado_en, clase, n }, evento }
            }
        };
        let propios = r.ficha.eventos.iter().cloned().enumerate().map(con_lugar(0));
        let mut todos: Vec<_> = propios.chain(cambios.enumerate().map(con_lugar(1))).collect();
        todos.sort_by_key(|e| e.cursor);
        Ok(todos)
    }

    /// The history that a store must show.
    pub(crate) fn historial(&self, lead: LeadId) -> &[CambioEstado] {
        &self.registros[&lead].historial
    }

    /// Every mark of a blob that is not swept yet.
    pub(crate) fn en_uso(&self, lead: LeadId, huella: Huella) -> bool {
        let fotos = self.registros.get(&lead).map(|r| r.ficha.fotos.as_slice()).unwrap_or_default();
        let mut pdfs = self.presupuestos.iter().filter(|p| p.lead == lead).filter_map(|p| p.pdf);
        fotos.iter().any(|f| f.imagen.huellas().any(|h| h == huella))
            || self.rendiciones.iter().any(|r| r.lead == lead && r.huellas().any(|h| h == huella))
            || pdfs.any(|pdf| pdf.huella == huella)
    }

    pub(crate) fn marcados(&self) -> Vec<(LeadId, Huella)> {
        self.marcas.iter().filter(|(_, (m, _))| !m.barrido).map(|(k, _)| *k).collect()
    }

    /// The traces of a lead, as an ingestion that put the bytes again would name them.
    pub(super) fn rastros(&self, lead: LeadId) -> Vec<(Huella, i64)> {
        let suyos = self.marcas.iter().filter(|((de, _), (m, _))| *de == lead && m.barrido);
        suyos.map(|(_, (m, _))| (m.huella, m.vez)).collect()
    }

    /// The jobs of this kind.
    pub(super) fn ids(&self, cuales: impl Fn(&Trabajo) -> bool) -> Vec<TrabajoId> {
        self.cola.iter().map(|p| &p.trabajo).filter(|t| cuales(t)).map(|t| t.id).collect()
    }

    /// A key whose answer is provisional.
    pub(super) fn clave_en_curso(&self) -> Option<(String, String)> {
        self.claves.iter().filter(|(_, fila)| !fila.trabajos.is_empty()).map(|(k, _)| k.clone()).min()
    }

    /// All the pages that a store must show under a filter.
    pub(crate) fn lista(&self, f: &FiltroLeads) -> Vec<LeadResumen> {
        let mut lista: Vec<LeadResumen> =
            self.registros.values().filter(|r| cumple(f, r)).map(resumen).collect();
        lista.iter_mut().for_each(|r| self.con_empresa(&mut r.lead));
        lista.sort_by_key(|r| std::cmp::Reverse((r.lead.creado_en, r.lead.id)));
        lista
    }
}

fn ahora() -> Result<String> {
    Ok(format!("{:?}", Hecho::Ahora))
}

fn resumen(r: &Registro) -> LeadResumen {
    let c = r.ficha.calificacion.as_ref();
    LeadResumen { lead: r.ficha.lead.clone(), nivel: c.and_then(|c| c.nivel), score: c.and_then(|c| c.score) }
}

fn cumple(f: &FiltroLeads, r: &Registro) -> bool {
    let (l, nivel) = (&r.ficha.lead, r.ficha.calificacion.as_ref().and_then(|c| c.nivel));
    f.empresa.is_none_or(|e| l.empresa.id == e)
        && f.telefono_e164.as_ref().is_none_or(|t| l.telefono_e164 == *t)
        && f.email_normal.as_ref().is_none_or(|e| r.email_normal == *e)
        && f.tipo_reforma.is_none_or(|z| l.perfil.tipo_reforma == Some(z))
        && f.nivel.is_none_or(|n| nivel == Some(n))
        && f.canal_origen.is_none_or(|c| l.perfil.canal_origen == Some(c))
        && f.viable.is_none_or(|v| l.perfil.viable == Some(v))
        && f.estado_wa.is_none_or(|e| l.perfil.estado_wa == Some(e))
        && f.texto.as_ref().is_none_or(|t| r.busqueda().contains(t.as_str()))
        && f.desde.is_none_or(|d| l.creado_en >= d)
        && f.hasta.is_none_or(|h| l.creado_en < h)
}
