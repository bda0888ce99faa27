//! Quotes.

use async_trait::async_trait;
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::presupuestos::{AnswerPresupuesto, AnswerResult, CompletePresupuesto, DraftPresupuesto};
use embudo_store::{Presupuestos, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::presupuesto;
use crate::writer::Shape;

#[async_trait]
impl Presupuestos for SqliteStore {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        let texts: usize = command.document.notas.iter().map(|n| n.text.len()).sum();
        let bytes = 64 * ROW + texts;
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::draft(c, command)).await
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let bytes = (8 + command.events.len()) * ROW + bytes_of(&command.end.jobs);
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::complete(c, command)).await
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        let reason = command.answer.reason.as_ref().map_or(0, String::len);
        let bytes = 4 * ROW + reason + bytes_of(&command.jobs);
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::answer(c, &command)).await
    }
}
