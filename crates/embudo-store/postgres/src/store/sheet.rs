//! A lead's page.

use async_trait::async_trait;
use embudo_store::sheet::{EditLead, Edited};
use embudo_store::touches::Touch;
use embudo_store::{Result, Sheets};

use crate::PgStore;
use crate::command::edit;
use crate::patience::patiently;

#[async_trait]
impl Sheets for PgStore {
    async fn edit_lead(&self, command: EditLead) -> Result<Edited> {
        let edited = patiently!(self, self.turns.on(command.lead.0), edit::edit(&self.pool, &command))?;
        self.touches.note(command.lead, Touch::anew());
        Ok(edited)
    }
}
