//! A lead's page.

use async_trait::async_trait;
use embudo_store::sheet::{EditLead, Edited};
use embudo_store::touches::Touch;
use embudo_store::{Result, Sheets};

use super::ROW;
use crate::SqliteStore;
use crate::command::edit;
use crate::writer::Shape;

#[async_trait]
impl Sheets for SqliteStore {
    async fn edit_lead(&self, command: EditLead) -> Result<Edited> {
        let bytes = 4 * ROW + 2 * command.edited.perfil.bytes();
        let lead = command.lead;
        let edited = self.writer.run(Shape::Several, bytes, move |c| edit::edit(c, &command)).await?;
        self.touches.note(lead, Touch::anew());
        Ok(edited)
    }
}
