//! Visits and people's calendars.

use embudo_domain::UserId;

use super::sql;
use crate::queries::Statement;

/// A calendar's secret opens nothing any more.
pub(super) fn end_feed(user: UserId) -> Statement {
    sql!("agenda/end_calendario.sql", usuario: user.0)
}
