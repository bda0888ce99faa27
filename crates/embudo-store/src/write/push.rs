//! Devices that get notices by web push.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::push::MAX_DEVICES;
use embudo_domain::{PushId, Timestamp, UserId};

use super::{Engine, Load, Lock, Tx, audit, notices, run, sql};
use crate::push::Subscribe;
use crate::queries::{Query, notice, push};
use crate::read::Reader;
use crate::{PushStore, Result, StoreError};

/// The name of the key pair among the installation's secrets.
const KEY: &str = "push";

#[async_trait]
impl<E: Engine + Reader> PushStore for E {
    async fn ensure_push_key(&self, proposed: Vec<u8>) -> Result<Vec<u8>> {
        // Every start asks for the key, and only the first one writes.
        if let Some(kept) = self.read(kept_key()).await?.pop() {
            return Ok(kept);
        }
        self.write(Load::SMALL, proposed, |tx, proposed| Box::pin(ensure_key(tx, proposed))).await
    }

    async fn subscribe(&self, command: Subscribe) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(subscribe(tx, command))).await
    }

    async fn unsubscribe(&self, user: UserId, id: PushId, audit: AuditEntry) -> Result<bool> {
        let command = (user, id, audit);
        self.write(Load::SMALL, command, |tx, (user, id, audit)| Box::pin(unsubscribe(tx, *user, *id, audit)))
            .await
    }

    async fn forget_device(&self, id: PushId) -> Result<()> {
        run(self, Load::SMALL, sql!("dispositivo/forget.sql", id: id.0)).await.map(drop)
    }

    async fn touch_device(&self, id: PushId, at: Timestamp) -> Result<()> {
        run(self, Load::SMALL, sql!("dispositivo/touch.sql", id: id.0, now: at)).await.map(drop)
    }
}

/// Stores the key, unless there is one; returns the stored one. The insert waits for a concurrent call.
async fn ensure_key(tx: &Tx<'_>, proposed: &[u8]) -> Result<Vec<u8>> {
    tx.run(sql!("secreto/insert.sql", nombre: KEY, valor: proposed)).await?;
    tx.first(kept_key()).await?.ok_or_else(|| StoreError::Internal("a secret was not kept".into()))
}

fn kept_key() -> Query<Vec<u8>> {
    Query::new(include_str!("../../sql/secreto/get.sql"), |c| c.get("valor")).bind("nombre", KEY)
}

/// Adds a device. The lock of people lets one call run at a time, so that the limit of devices holds and a company's
/// topics are collected from all of its people.
async fn subscribe(tx: &Tx<'_>, command: &Subscribe) -> Result<()> {
    tx.lock(Lock::People).await?;
    let (device, user) = (&command.device, command.device.user);
    tx.run(sql!("dispositivo/replace.sql", endpoint: &device.target.endpoint)).await?;
    let insert = sql!(
        "dispositivo/insert.sql",
        id: device.id.0,
        usuario: user.0,
        sesion: device.session.0,
        endpoint: &device.target.endpoint,
        p256dh: device.target.p256dh.as_slice(),
        auth: device.target.auth.as_slice(),
        agente: &device.agent,
        now: device.creado_en,
    );
    tx.run_or(insert, StoreError::UserNotFound).await?;
    let mut own = tx.rows(push::devices_of(user)).await?;
    own.retain(|other| other.id != device.id);
    own.sort_by_key(|other| std::cmp::Reverse((other.usado_en.unwrap_or(other.creado_en), other.id)));
    for old in own.iter().skip(MAX_DEVICES as usize - 1) {
        tx.run(sql!("dispositivo/forget.sql", id: old.id.0)).await?;
    }
    let chosen = tx.rows(notice::choices_of(user)).await?;
    if chosen.iter().all(|chosen| chosen.choice.on_devices.is_empty()) {
        for empresa in &command.empresas {
            let elegidos = command.topics.to_string();
            let set =
                sql!("aviso_persona/set_dispositivos.sql", empresa: empresa.0, usuario: user.0, elegidos);
            tx.run_or(set, StoreError::EmpresaNotFound).await?;
        }
        notices::gather_for(tx, user).await?;
    }
    audit::tell(tx, &command.audit).await
}

async fn unsubscribe(tx: &Tx<'_>, user: UserId, id: PushId, entry: &AuditEntry) -> Result<bool> {
    if tx.run(sql!("dispositivo/delete.sql", usuario: user.0, id: id.0)).await? == 0 {
        return Ok(false);
    }
    audit::tell(tx, entry).await?;
    Ok(true)
}
