//! What the summary shows.

use async_trait::async_trait;
use embudo_store::{Figures, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::figures;
use crate::writer::Shape;

#[async_trait]
impl Figures for SqliteStore {
    async fn clear_figures(&self) -> Result<()> {
        self.writer.run(Shape::Several, ROW, figures::clear).await
    }
}
