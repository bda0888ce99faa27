//! Who is told what by mail.

use async_trait::async_trait;
use embudo_store::notices::{ChooseNotices, SetSharedNotices};
use embudo_store::{Notices, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::notices;
use crate::writer::Shape;

#[async_trait]
impl Notices for SqliteStore {
    async fn choose_notices(&self, command: ChooseNotices) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| notices::choose(c, &command)).await
    }

    async fn set_shared_notices(&self, command: SetSharedNotices) -> Result<bool> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| notices::set_shared(c, &command)).await
    }
}
