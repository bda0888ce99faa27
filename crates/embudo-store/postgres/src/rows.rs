//! Converts columns and values between PostgreSQL's types and the plain ones of `embudo_store::row`, here and nowhere
//! else.

mod cells;
mod instant;

use embudo_domain::foto::Foto;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::lead::Lead;
use embudo_domain::nota::Nota;
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{LeadId, Timestamp, Zona};
use embudo_store::finish::Seen;
use embudo_store::idempotency::KeyRow;
use embudo_store::queries::{Kind, Value};
use embudo_store::row::{Columns, Raw, Row as AnyRow};
use embudo_store::rows as shared;
use jiff::civil::Date;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::failure::Step;

pub(crate) use cells::{CellParam, perfil_params, type_name};
pub(crate) use embudo_store::rows::image_columns;
pub(crate) use instant::Instant;

pub(crate) fn read<T>(row: &Row, meaning: impl FnOnce(&Columns<'_>) -> embudo_store::Result<T>) -> Step<T> {
    Ok(meaning(&Columns::of(&ByName(row)))?)
}

struct ByName<'r>(&'r Row);

impl AnyRow for ByName<'_> {
    fn raw(&self, name: &str) -> Option<Raw<'_>> {
        self.0.try_get::<_, Plain<'_>>(name).ok().map(|plain| plain.0)
    }

    fn names(&self) -> Vec<String> {
        self.0.columns().iter().map(|column| column.name().to_owned()).collect()
    }
}

struct Plain<'r>(Raw<'r>);

impl<'r> FromSql<'r> for Plain<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, instant::BoxedError> {
        Ok(Self(match *ty {
            Type::BOOL => Raw::Int(bool::from_sql(ty, raw)?.into()),
            Type::INT2 => Raw::Int(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => Raw::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Raw::Int(i64::from_sql(ty, raw)?),
            Type::FLOAT8 => Raw::Real(f64::from_sql(ty, raw)?),
            Type::TIMESTAMPTZ => Raw::Int(Instant::from_sql(ty, raw)?.0),
            Type::DATE => Raw::Day(Date::from_sql(ty, raw)?),
            Type::BYTEA | Type::UUID => Raw::Bytes(raw),
            _ => Raw::Text(<&str>::from_sql(ty, raw)?),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, instant::BoxedError> {
        Ok(Self(Raw::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::BOOL
                | Type::INT2
                | Type::INT4
                | Type::INT8
                | Type::FLOAT8
                | Type::TIMESTAMPTZ
                | Type::DATE
                | Type::BYTEA
                | Type::UUID
                | Type::TEXT
        )
    }
}

/// A value to be bound to a parameter.
#[derive(Debug)]
pub(crate) struct Bound<'v>(pub(crate) &'v Value);

impl Bound<'_> {
    pub(crate) fn sql_type(&self) -> Type {
        match self.0.kind() {
            Kind::Bool => Type::BOOL,
            Kind::Int => Type::INT8,
            Kind::Real => Type::FLOAT8,
            Kind::Text => Type::TEXT,
            Kind::Bytes => Type::BYTEA,
            Kind::Id => Type::UUID,
            Kind::Instant => Type::TIMESTAMPTZ,
            Kind::Day => Type::DATE,
        }
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self, ty: &Type, out: &mut bytes::BytesMut) -> Result<IsNull, instant::BoxedError> {
        match self.0 {
            Value::Null(_) => Ok(IsNull::Yes),
            Value::Real(number) => number.to_sql(ty, out),
            Value::Bool(truth) => truth.to_sql(ty, out),
            Value::Int(number) => number.to_sql(ty, out),
            Value::Text(text) => text.to_sql(ty, out),
            Value::Bytes(bytes) => bytes.to_sql(ty, out),
            Value::Id(id) => id.to_sql(ty, out),
            Value::Instant(instant) => Instant::from(*instant).to_sql(ty, out),
            Value::Day(day) => day.to_sql(ty, out),
        }
    }

    /// `sql_type` has told the server the type of each value.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

macro_rules! meanings {
    ($($name:ident = $meaning:path => $type:ty;)+) => {
        $(pub(crate) fn $name(row: &Row) -> Step<$type> {
            read(row, $meaning)
        })+
    };
}

meanings! {
    lead = shared::lead => Lead;
    foto = shared::foto => Foto;
    nota = shared::nota => Nota;
    watched_loop = shared::watched_loop => Option<WatchedLoop>;
    job = shared::job => Job;
    idempotency = shared::idempotency_key => KeyRow;
}

/// The instant in the column `cuando`; `None` if it is null.
pub(crate) fn instant(row: &Row) -> Step<Option<Timestamp>> {
    read(row, |c| c.get("cuando"))
}

/// A job that a process holds, with the data that decides what follows from an attempt. The lead's watched loop is read
/// separately.
pub(crate) struct Held {
    pub(crate) lead: LeadId,
    pub(crate) empresa: uuid::Uuid,
    pub(crate) seen: Seen,
}

pub(crate) fn held(row: &Row) -> Step<Held> {
    read(row, |c| {
        let return_to = |renders, finalizar| -> embudo_store::Result<CameBack> {
            Ok(CameBack { renders: c.get(renders)?, finalizar: c.get(finalizar)? })
        };
        let seen = Seen {
            kind: c.word("tipo", JobKind::parse)?,
            en_duda: c.get("en_duda")?,
            ultimo_error: c.get("ultimo_error")?,
            has_newer: c.get("has_newer")?,
            since_sent: return_to("sent_renders", "sent_finalizar")?,
            since_made: return_to("made_renders", "made_finalizar")?,
            watched_loop: None,
        };
        Ok(Held { lead: LeadId(c.get("lead_id")?), empresa: c.get("empresa_id")?, seen })
    })
}

/// The renovation type, the company and the loop of a lead that was locked.
pub(crate) fn lead_closed(row: &Row) -> Step<(Option<Zona>, uuid::Uuid, Option<WatchedLoop>)> {
    read(row, |c| {
        Ok((c.word_opt("tipo_reforma", Zona::parse)?, c.get("empresa_id")?, shared::watched_loop(c)?))
    })
}
