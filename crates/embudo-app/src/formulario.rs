//! What the public form needs beyond single commands: passes, and the ticket that makes sending it twice one lead.

use embudo_delivery::{Pase, PaseInvalido};
use embudo_domain::busqueda::plegar;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{Ficha, Lead};
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_domain::{LeadId, NotaId, Timestamp, Zona};
use embudo_store::command::{Answer, ClearPerfil, RecordEvento, SetNota, UpdateContacto, UpdatePerfil};
use embudo_store::{CallKey, Hecho, Outcome, StoreError};
use jiff::SignedDuration;
use uuid::{NoContext, Uuid};

use crate::avisos::Aviso;
use crate::{App, AppError};

/// How long a pass to a form or to consents opens it.
pub const VIDA_DEL_PASE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long an unsent form may lie open.
pub const VIDA_DEL_BOLETO: SignedDuration = SignedDuration::from_hours(24);

/// How long a person may pause in the form before the company hears of it half done.
const PAUSA: SignedDuration = SignedDuration::from_mins(30);

/// A wish pressed twice within this time is one wish.
const MISMO_DESEO: SignedDuration = SignedDuration::from_secs(60);

/// The ticket of a form that was shown and not yet sent: the id that its lead will have, and when it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boleto {
    /// The lead to be.
    pub lead: LeadId,
    /// When the form was shown.
    pub mostrado_en: Timestamp,
}

impl App {
    /// A pass to go on with a lead's form.
    pub fn pase_formulario(&self, lead: LeadId) -> String {
        self.salidas.pases.escribir(Pase::Formulario(lead), Some(self.ahora() + VIDA_DEL_PASE))
    }

    /// The lead whose form a pass opens.
    pub fn leer_pase_formulario(&self, texto: &str) -> Result<LeadId, PaseInvalido> {
        match self.salidas.pases.leer(texto, self.ahora())? {
            Pase::Formulario(lead) => Ok(lead),
            _ => Err(PaseInvalido::Falso),
        }
    }

    /// A pass to the page where a lead's consents are withdrawn. It never ends: withdrawing must always be possible.
    pub fn pase_consentimientos(&self, lead: LeadId) -> String {
        self.salidas.pases.escribir(Pase::Consentimientos(lead), None)
    }

    /// The lead whose consents a pass opens.
    pub fn leer_pase_consentimientos(&self, texto: &str) -> Result<LeadId, PaseInvalido> {
        match self.salidas.pases.leer(texto, self.ahora())? {
            Pase::Consentimientos(lead) => Ok(lead),
            _ => Err(PaseInvalido::Falso),
        }
    }

    /// A ticket for a form that is shown now. The id carries the moment, and the pass its signature.
    pub fn nuevo_boleto(&self) -> String {
        let ahora = self.ahora();
        let segundos = u64::try_from(ahora.as_second()).unwrap_or(0);
        let nanos = u32::try_from(ahora.subsec_nanosecond()).unwrap_or(0);
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, segundos, nanos));
        self.salidas.pases.escribir(Pase::Boleto(LeadId(id)), Some(ahora + VIDA_DEL_BOLETO))
    }

    /// The ticket that a form came with while it is good, so that going back and forth stays one lead; else a new one.
    pub fn boleto_vigente(&self, texto: Option<&str>) -> String {
        match texto.filter(|t| self.leer_boleto(t).is_ok()) {
            Some(texto) => texto.to_owned(),
            None => self.nuevo_boleto(),
        }
    }

    /// Reads a ticket. A pass is none: it opens a form that was sent, for longer than a ticket is good.
    pub fn leer_boleto(&self, texto: &str) -> Result<Boleto, PaseInvalido> {
        let Pase::Boleto(lead) = self.salidas.pases.leer(texto, self.ahora())? else {
            return Err(PaseInvalido::Falso);
        };
        let (segundos, nanos) = lead.0.get_timestamp().ok_or(PaseInvalido::Falso)?.to_unix();
        let segundos = i64::try_from(segundos).map_err(|_| PaseInvalido::Falso)?;
        let nanos = i32::try_from(nanos).map_err(|_| PaseInvalido::Falso)?;
        let mostrado_en = Timestamp::new(segundos, nanos).map_err(|_| PaseInvalido::Falso)?;
        Ok(Boleto { lead, mostrado_en })
    }

    /// Makes the lead of a form that was sent. Sent again, because the answer was lost or the person went back and corrected
    /// something, it is the same lead with the later data. Addresses with a ticket are passed on now and then: somebody of
    /// another name, telephone and e-mail gets a lead of their own.
    pub async fn alta_formulario(&self, boleto: LeadId, nuevo: NuevoLead) -> Result<LeadId, AppError> {
        if self.alta_una_vez(boleto, &nuevo).await? == Hecho::Ahora {
            return Ok(boleto);
        }
        let antes = self.store.ficha(boleto).await?;
        if is_same_person(&antes.lead, &nuevo) {
            self.corregir_alta(&antes, nuevo).await?;
            return Ok(boleto);
        }
        let otra = boleto.de_otra_persona(&nuevo.telefono, &nuevo.email);
        if self.alta_una_vez(otra, &nuevo).await? != Hecho::Ahora {
            self.corregir_alta(&self.store.ficha(otra).await?, nuevo).await?;
        }
        Ok(otra)
    }

    async fn alta_una_vez(&self, lead: LeadId, nuevo: &NuevoLead) -> Result<Hecho, AppError> {
        let una_vez = once("alta", lead, VIDA_DEL_BOLETO);
        // The company hears once, with all the data: when the form is complete, or when the person went no further.
        let aviso = self.notice_of_form(&Aviso::FormularioAMedias, Some(self.ahora() + PAUSA));
        let idempotencia = una_vez.with(Outcome::LeadCreated { id: lead }, Vec::new(), self.ahora());
        self.create_lead_telling(lead, nuevo.clone(), Some(idempotencia), aviso).await
    }

    /// The later data, and a changed mind about consents: the ledger says what was said last.
    async fn corregir_alta(&self, antes: &Ficha, nuevo: NuevoLead) -> Result<(), AppError> {
        let (lead, en, patch) = (antes.lead.id, self.ahora(), contacto(&nuevo));
        self.store.update_contacto(UpdateContacto { lead, patch, en }).await?;
        if nuevo.perfil.m2_suelo.is_none() && antes.lead.perfil.m2_suelo.is_some() {
            self.store.clear_perfil(ClearPerfil { lead, answers: vec![Answer::M2Suelo], en }).await?;
        }
        self.store.update_perfil(UpdatePerfil { lead, perfil: nuevo.perfil, en, idempotencia: None }).await?;
        let changed = |c: &Consentimiento| {
            let same = |d: &&Consentimiento| d.finalidad == c.finalidad && d.canal == c.canal;
            antes.consentimientos.iter().rev().find(same).is_none_or(|d| d.otorgado != c.otorgado)
        };
        let cambiados: Vec<_> = nuevo.consentimientos.into_iter().filter(changed).collect();
        if !cambiados.is_empty() {
            self.record_consentimientos(lead, cambiados).await?;
        }
        Ok(())
    }

    /// The person has come to the end of the form: the company is told, once.
    pub async fn form_completed(&self, lead: LeadId) -> Result<(), AppError> {
        let trabajos = self.notice_of_form(&Aviso::FormularioCompleto, None);
        if trabajos.is_empty() {
            return Ok(());
        }
        let en = self.ahora();
        let idempotencia = Some(once("completo", lead, VIDA_DEL_PASE).with(Outcome::Done, Vec::new(), en));
        self.store.record_evento(RecordEvento { lead, evento: None, trabajos, en, idempotencia }).await?;
        Ok(())
    }

    /// The form's one note about a zone, in place of what it said before; an empty one is removed.
    pub async fn save_form_note(&self, lead: LeadId, zona: Zona, texto: &str) -> Result<(), AppError> {
        let texto = Some(texto.to_owned()).filter(|t| !t.is_empty());
        let id = NotaId::del_formulario(lead, zona);
        Ok(self.store.set_nota(SetNota { lead, id, zona, texto, en: self.ahora() }).await?)
    }

    /// The lead goes on by messaging: its consent for that channel is written down and the conversation started, once a minute
    /// at most. A first wish that is still on its way is as good as this one.
    pub async fn seguir_por_mensajeria(&self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        self.consentir_canal(lead, "mensajeria", texto_version).await?;
        match self.start_mensajeria(lead, Some(once("mensajeria", lead, MISMO_DESEO))).await {
            Ok(_) | Err(AppError::Store(StoreError::KeyInProgress)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The lead would rather be called: the wish stands in its history, once a minute at most.
    pub async fn pedir_llamada(&self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        self.consentir_canal(lead, "llamada", texto_version).await?;
        let en = self.ahora();
        let evento =
            Evento { tipo: TipoEvento::Llamada, simulado: false, ok: true, detalle: None, creado_en: en };
        let idempotencia = Some(once("llamada", lead, MISMO_DESEO).with(Outcome::Done, Vec::new(), en));
        let trabajos = self.notice_of_form(&Aviso::Llamada, None);
        let command = RecordEvento { lead, evento: Some(evento), trabajos, en, idempotencia };
        self.store.record_evento(command).await?;
        Ok(())
    }

    /// Appends to a lead's ledger of consents.
    pub async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
    ) -> Result<(), AppError> {
        Ok(self.store.record_consentimientos(lead, consentimientos, self.ahora()).await?)
    }

    /// Asking to be reached by a channel is the consent to be reached there about this quote. Said again, it is not written again.
    async fn consentir_canal(&self, lead: LeadId, canal: &str, texto_version: &str) -> Result<(), AppError> {
        let ficha = self.store.ficha(lead).await?;
        let mismo = |c: &&Consentimiento| c.finalidad == "contacto" && c.canal.as_deref() == Some(canal);
        let ultimo = ficha.consentimientos.iter().rev().find(mismo);
        if ultimo.is_some_and(|c| c.otorgado && c.texto_version == texto_version) {
            return Ok(());
        }
        let consentimiento = Consentimiento {
            finalidad: "contacto".to_owned(),
            canal: Some(canal.to_owned()),
            texto_version: texto_version.to_owned(),
            fuente: Some("web".to_owned()),
            otorgado: true,
            otorgado_en: None,
        };
        self.record_consentimientos(lead, vec![consentimiento]).await
    }
}

/// The key under which something of a lead's form is done once within a time.
fn once(what: &str, lead: LeadId, life: SignedDuration) -> CallKey {
    CallKey { ambito: format!("formulario {what}"), clave: lead.to_string(), cuerpo_sha256: [0; 32], life }
}

/// Whether a form that was sent again is a correction: something that names a person is still the same.
fn is_same_person(antes: &Lead, nuevo: &NuevoLead) -> bool {
    antes.telefono_e164 == nuevo.telefono.e164
        || antes.email.to_lowercase() == nuevo.email.normal
        || plegar(&antes.nombre) == plegar(&nuevo.nombre)
}

/// The contact data of a lead that exists already.
fn contacto(nuevo: &NuevoLead) -> ContactoPatch {
    ContactoPatch {
        nombre: Some(nuevo.nombre.clone()),
        telefono: Some(nuevo.telefono.clone()),
        email: Some(nuevo.email.clone()),
        provincia: nuevo.provincia.clone(),
    }
}
