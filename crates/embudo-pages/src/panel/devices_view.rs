//! Notices on devices, as `/panel/cuenta` shows them.

use embudo_domain::empresa::Empresa;

use super::Signed;
use super::notices::{Tick, heard, ticks};
use super::words::{ago, moment};
use crate::WebState;
use crate::parts::Refusal;

/// The part of the account page about devices.
pub(super) struct DevicesView {
    /// The public key with which a browser subscribes to push messages.
    pub key: String,
    pub devices: Vec<ShownDevice>,
    pub choices: Vec<DeviceChoice>,
}

pub(super) struct ShownDevice {
    pub id: String,
    /// The key by which the browser recognises its own entry.
    pub key: String,
    pub agent: String,
    pub since: String,
    pub used: Option<String>,
}

/// Which notices of a company the person's devices show.
pub(super) struct DeviceChoice {
    pub slug: String,
    pub nombre: String,
    pub ticks: Vec<Tick>,
}

impl DevicesView {
    pub async fn of(state: &WebState, signed: &Signed) -> Result<Self, Refusal> {
        let (store, now, user) = (&state.app.store, state.app.now(), signed.open.user.id);
        let shown = |device: embudo_domain::push::PushDevice| ShownDevice {
            id: device.id.to_string(),
            key: device.target.key(),
            agent: device.agent,
            since: moment(device.creado_en, now),
            used: device.usado_en.map(|at| ago(at, now)),
        };
        let kept = store.choices_of(user).await?;
        let choice = |empresa: &Empresa| {
            let own = kept.iter().find(|kept| kept.empresa == empresa.id);
            let topics = own.map(|own| own.choice.on_devices).unwrap_or_default();
            DeviceChoice { slug: empresa.slug.clone(), nombre: empresa.nombre.clone(), ticks: ticks(topics) }
        };
        Ok(Self {
            key: state.app.access().push_key().await?,
            devices: store.devices_of(user).await?.into_iter().map(shown).collect(),
            choices: heard(signed).map(choice).collect(),
        })
    }
}
