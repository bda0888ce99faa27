//! Quotes.

use async_trait::async_trait;
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, DraftPresupuesto,
};
use embudo_store::write::quotes;
use embudo_store::{Presupuestos, Result};

use crate::PgStore;
use crate::command::presupuesto;
use crate::patience::patiently;

#[async_trait]
impl Presupuestos for PgStore {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        quotes::draft_presupuesto(self, command).await
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let end = patiently!(self, self.turns.on(command.id.0), presupuesto::complete(&self.pool, &command))?;
        self.finished(end);
        Ok(end.is_some())
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        quotes::answer_presupuesto(self, command).await
    }

    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult> {
        quotes::ask_visit(self, command).await
    }
}
