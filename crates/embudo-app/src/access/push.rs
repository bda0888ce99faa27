//! Devices on which people get notices by web push.

use embudo_delivery::FetchFailure;
use embudo_domain::audit::AuditAction;
use embudo_domain::notice::Topics;
use embudo_domain::push::{PushDevice, PushTarget};
use embudo_domain::session::short_agent;
use embudo_domain::{EmpresaId, PushId};
use embudo_store::push::Subscribe;

use super::{Access, Actor, OpenSession, Origin, Result};

impl Access<'_> {
    /// The public half of the installation's key, with which a browser subscribes.
    pub async fn push_key(self) -> Result<String> {
        Ok(self.app.push_key().await?.public())
    }

    /// Switches notices on in this browser; for these companies if the person has not chosen yet. Returns the reason if
    /// nothing may be sent to the browser's push service.
    pub async fn switch_device_on(
        self,
        open: &OpenSession,
        empresas: Vec<EmpresaId>,
        target: PushTarget,
        origin: &Origin,
    ) -> Result<std::result::Result<(), FetchFailure>> {
        if let Err(refused) = self.app.outbound.fetches.check_receiver(&target.endpoint).await {
            return Ok(Err(refused));
        }
        let agent = short_agent(&origin.agent);
        let mut audit = self.audit(&Actor::person(&open.user, origin), AuditAction::DeviceSubscribed);
        audit.object = Some(agent.clone());
        let device = PushDevice {
            id: PushId(self.app.id()),
            user: open.user.id,
            session: open.session.id,
            target,
            agent,
            creado_en: self.app.now(),
            usado_en: None,
        };
        let command = Subscribe { device, topics: Topics::FOR_DEVICES, empresas, audit };
        self.app.store.subscribe(command).await?;
        Ok(Ok(()))
    }

    /// Switches notices off on one device of a person; `false` if they have no such device.
    pub async fn switch_device_off(self, open: &OpenSession, id: PushId, origin: &Origin) -> Result<bool> {
        let device = self.app.store.device(id).await?.filter(|device| device.user == open.user.id);
        let Some(device) = device else { return Ok(false) };
        let mut audit = self.audit(&Actor::person(&open.user, origin), AuditAction::DeviceUnsubscribed);
        audit.object = Some(device.agent);
        Ok(self.app.store.unsubscribe(open.user.id, id, audit).await?)
    }
}
