//! Quotes.

use async_trait::async_trait;
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, DraftPresupuesto,
};
use embudo_store::touches::Touch;
use embudo_store::write::quotes;
use embudo_store::{Presupuestos, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::presupuesto;
use crate::writer::Shape;

#[async_trait]
impl Presupuestos for SqliteStore {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        quotes::draft_presupuesto(self, command).await
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let bytes = (8 + command.events.len()) * ROW + bytes_of(&command.end.jobs);
        let end = self.writer.run(Shape::Several, bytes, move |c| presupuesto::complete(c, command)).await?;
        end.iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(end.is_some())
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        quotes::answer_presupuesto(self, command).await
    }

    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult> {
        quotes::ask_visit(self, command).await
    }
}
