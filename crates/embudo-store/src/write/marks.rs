//! How far the projector has read.

use super::{Engine, Load, ROW, run_all, sql};
use crate::Result;
use crate::projection::Mark;
use crate::queries::Statement;

pub async fn keep(engine: &impl Engine, marks: Vec<Mark>) -> Result<()> {
    let load = Load::SMALL.and(marks.len() * ROW);
    let statements: Vec<Statement> = marks.iter().map(set).collect();
    engine.write(load, statements, |tx, statements| Box::pin(run_all(tx, statements))).await
}

fn set(mark: &Mark) -> Statement {
    sql!("proyeccion/set.sql", nombre: mark.table, hasta: mark.read, visto: mark.seen, visto_en: mark.seen_at)
}
