//! Instants between PostgreSQL and the domain.

use bytes::BytesMut;
use embudo_domain::Timestamp;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

pub(super) type BoxedError = Box<dyn std::error::Error + Sync + Send>;

/// An instant on its way to or from a `timestamptz`: whole microseconds, cut and never rounded, as on SQLite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(pub(super) i64);

/// Microseconds between 1970, where we count from, and 2000, where PostgreSQL does.
const EPOCH_MICROS: i64 = 946_684_800_000_000;

impl Instant {
    pub(crate) fn of_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970.
    pub(crate) fn micros(self) -> i64 {
        self.0
    }
}

impl From<Timestamp> for Instant {
    fn from(t: Timestamp) -> Self {
        Self(t.as_microsecond())
    }
}

impl ToSql for Instant {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        (self.0 - EPOCH_MICROS).to_sql(ty, out)
    }

    accepts!(TIMESTAMPTZ);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Instant {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        let micros = i64::from_sql(ty, raw)?.checked_add(EPOCH_MICROS).ok_or("an instant out of range")?;
        Ok(Self(micros))
    }

    accepts!(TIMESTAMPTZ);
}
