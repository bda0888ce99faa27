//! Who is told what by mail.

use async_trait::async_trait;
use embudo_store::notices::{ChooseNotices, SetSharedNotices};
use embudo_store::{Notices, Result};

use crate::PgStore;
use crate::command::notices;
use crate::patience::patiently;

#[async_trait]
impl Notices for PgStore {
    async fn choose_notices(&self, command: ChooseNotices) -> Result<()> {
        patiently!(self, self.turns.command(), notices::choose(&self.pool, &command))
    }

    async fn set_shared_notices(&self, command: SetSharedNotices) -> Result<bool> {
        patiently!(self, self.turns.command(), notices::set_shared(&self.pool, &command))
    }
}
