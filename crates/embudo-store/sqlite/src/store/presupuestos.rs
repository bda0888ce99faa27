//! Quotes.

use async_trait::async_trait;
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, DraftPresupuesto,
};
use embudo_store::touches::Touch;
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
        let drafted = self.writer.run(Shape::Several, bytes, move |c| presupuesto::draft(c, command)).await?;
        self.touches.note(drafted.lead, Touch::anew());
        Ok(drafted)
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let bytes = (8 + command.events.len()) * ROW + bytes_of(&command.end.jobs);
        let end = self.writer.run(Shape::Several, bytes, move |c| presupuesto::complete(c, command)).await?;
        end.iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(end.is_some())
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        let reason = command.answer.reason.as_ref().map_or(0, String::len);
        let bytes = 4 * ROW + reason + bytes_of(&command.jobs);
        let run = move |c: &_| presupuesto::answer(c, &command);
        let (answer_result, lead) = self.writer.run(Shape::Several, bytes, run).await?;
        self.touches.note(lead, Touch::anew());
        Ok(answer_result)
    }

    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult> {
        let note = command.request.note.as_ref().map_or(0, String::len);
        let bytes = 4 * ROW + note + bytes_of(&command.jobs);
        let run = move |c: &_| presupuesto::ask_visit(c, &command);
        let (answer_result, lead) = self.writer.run(Shape::Several, bytes, run).await?;
        self.touches.note(lead, Touch::anew());
        Ok(answer_result)
    }
}
