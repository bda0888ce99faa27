//! What is configured to leave the house, and by which rules.

use std::time::Duration;

use embudo_delivery::descarga::Descargas;
use embudo_delivery::{Correo, Enlaces, Pases, Webhooks};
use embudo_domain::ProcesoId;
use embudo_domain::bucle::Plazos;
use embudo_domain::trabajo::TipoTrabajo;
use embudo_quote::{Dibujante, Plantilla};
use embudo_store::cola::Arriendo;
use jiff::SignedDuration;
use url::Url;

/// How long a lease lasts without a heartbeat. With a poll every few seconds another process takes a dead one's job
/// up well within 30 s.
const ARRIENDO: Duration = Duration::from_secs(20);

/// Receivers, mail, and the rules around them.
pub struct Outbound {
    /// This process, the same after a restart, so that it finds its own jobs again.
    pub proceso: ProcesoId,
    /// The client for signals.
    pub webhooks: Webhooks,
    /// Who gets profile signals.
    pub perfil: Option<Url>,
    /// Who starts conversations.
    pub mensajeria: Option<Url>,
    /// Who gets quotes by messaging.
    pub pdf: Option<Url>,
    /// The mail server.
    pub correo: Option<CorreoSalida>,
    /// Links that stand for photos in signals.
    pub enlaces: Option<ConEnlaces>,
    /// Passes to forms and quotes.
    pub pases: Pases,
    /// Fetches photos that were given by their address.
    pub descargas: Descargas,
    /// Draws quotes.
    pub dibujante: Dibujante,
    /// The operator's own template for quotes.
    pub plantilla: Option<Plantilla>,
    /// For how long the same `finalizar` without a key, after everything of the first was delivered, is the same call; zero: never.
    pub repeticion: SignedDuration,
    /// What to do with a mail of which nobody knows whether it was taken.
    pub en_duda: EnDuda,
    /// How long the loop's steps may take.
    pub plazos: Plazos,
    /// How many profile signals are sent again by themselves when renders do not come.
    pub resenales: u32,
    /// How long a request waits for the first attempt of what it caused.
    pub espera: Duration,
    /// How long ended jobs and their logs are kept.
    pub guardar: SignedDuration,
}

/// The mail server and who writes.
pub struct CorreoSalida {
    /// The client.
    pub cliente: Correo,
    /// The address mails are from.
    pub from: String,
    /// The name beside it on every mail; without one, that of whoever writes.
    pub from_name: Option<String>,
}

/// Links to photos, under this server's public address.
pub struct ConEnlaces {
    /// Makes and checks them.
    pub enlaces: Enlaces,
    /// The public address, without a slash at its end.
    pub public_url: String,
}

/// The policy for mails in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnDuda {
    /// Never two: it is left to a person.
    Aparcar,
    /// Never none: it is sent again.
    Reintentar,
}

impl Outbound {
    /// Nothing is configured: signals and mails are simulated.
    pub fn ninguna(webhooks: Webhooks, descargas: Descargas) -> Self {
        Self {
            proceso: ProcesoId(uuid::Uuid::now_v7()),
            webhooks,
            perfil: None,
            mensajeria: None,
            pdf: None,
            correo: None,
            enlaces: None,
            pases: Pases::new(uuid::Uuid::new_v4().as_bytes()),
            descargas,
            dibujante: Dibujante::new(),
            plantilla: None,
            repeticion: SignedDuration::from_secs(60),
            en_duda: EnDuda::Aparcar,
            plazos: Plazos::default(),
            resenales: 0,
            espera: Duration::from_secs(10),
            guardar: SignedDuration::from_hours(30 * 24),
        }
    }

    /// Whether jobs of a kind can leave the house; the others are held until they can.
    pub fn sends(&self, tipo: TipoTrabajo) -> bool {
        match tipo {
            TipoTrabajo::Presupuesto => true,
            tipo if tipo.es_correo() => self.correo.is_some(),
            tipo => self.destino(tipo).is_some(),
        }
    }

    /// Where signals of a kind go.
    pub(crate) fn destino(&self, tipo: TipoTrabajo) -> Option<&Url> {
        match tipo {
            TipoTrabajo::Perfil => self.perfil.as_ref(),
            TipoTrabajo::Mensajeria => self.mensajeria.as_ref(),
            TipoTrabajo::Pdf => self.pdf.as_ref(),
            TipoTrabajo::CorreoCliente
            | TipoTrabajo::CorreoEmpresa
            | TipoTrabajo::AvisoFormulario
            | TipoTrabajo::Presupuesto => None,
        }
    }

    pub(crate) fn arriendo(&self) -> Arriendo {
        Arriendo { quien: self.proceso, dura: ARRIENDO }
    }
}
