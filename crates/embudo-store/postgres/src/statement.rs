//! Statements: parsed once, and on the pool also prepared, bound by name and run in one call.

use std::future::Future;
use std::sync::LazyLock;

use deadpool_postgres::GenericClient;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::failure::Step;
use crate::named::Named;

/// A statement with named parameters.
pub(crate) type Sql = LazyLock<Named<'static>>;

/// The value of a parameter.
pub(crate) type Value<'v> = &'v (dyn ToSql + Sync);

/// Parameters by name, in any order.
pub(crate) type Params<'v> = [(&'v str, Value<'v>)];

/// The statement of a file under `sql/`: `sql!("lead/lock.sql")`; with `shared`, of a file that both engines share.
macro_rules! sql {
    (shared $path:literal) => {
        $crate::statement::sql!(@ concat!(env!("CARGO_MANIFEST_DIR"), "/../sql/", $path))
    };
    ($path:literal) => {
        $crate::statement::sql!(@ concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $path))
    };
    (@ $path:expr) => {{
        static SQL: $crate::statement::Sql =
            std::sync::LazyLock::new(|| $crate::named::Named::parse(include_str!($path)));
        &SQL
    }};
}
pub(crate) use sql;

/// Parameters: `params! { lead: id.0, now }`, where `now` is a variable of that name.
macro_rules! params {
    ($($name:ident $(: $value:expr)?),* $(,)?) => {
        &[$($crate::statement::params!(@ $name $($value)?)),*]
    };
    (@ $name:ident) => {
        $crate::statement::params!(@ $name $name)
    };
    (@ $name:ident $value:expr) => {
        (stringify!($name), &$value as $crate::statement::Value<'_>)
    };
}
pub(crate) use params;

impl Named<'_> {
    /// The values in the order of the statement's parameters.
    pub(crate) fn bind<'v>(&self, params: &Params<'v>) -> embudo_store::Result<Vec<Value<'v>>> {
        self.arrange(params, |value| *value)
    }
}

/// A connection of the pool, or a transaction on one, where statements stay prepared.
pub(crate) trait OnPool {
    fn rows(&self, sql: &Sql, params: &Params<'_>) -> impl Future<Output = Step<Vec<Row>>> + Send;

    /// The row of a statement that always has one.
    fn row(&self, sql: &Sql, params: &Params<'_>) -> impl Future<Output = Step<Row>> + Send;

    fn row_opt(&self, sql: &Sql, params: &Params<'_>) -> impl Future<Output = Step<Option<Row>>> + Send;

    /// Returns how many rows were changed.
    fn execute(&self, sql: &Sql, params: &Params<'_>) -> impl Future<Output = Step<u64>> + Send;
}

impl<C: GenericClient> OnPool for C {
    async fn rows(&self, sql: &Sql, params: &Params<'_>) -> Step<Vec<Row>> {
        let values = sql.bind(params)?;
        Ok(self.query(&self.prepare_cached(&sql.text).await?, &values).await?)
    }

    async fn row(&self, sql: &Sql, params: &Params<'_>) -> Step<Row> {
        let values = sql.bind(params)?;
        Ok(self.query_one(&self.prepare_cached(&sql.text).await?, &values).await?)
    }

    async fn row_opt(&self, sql: &Sql, params: &Params<'_>) -> Step<Option<Row>> {
        let values = sql.bind(params)?;
        Ok(self.query_opt(&self.prepare_cached(&sql.text).await?, &values).await?)
    }

    async fn execute(&self, sql: &Sql, params: &Params<'_>) -> Step<u64> {
        let (values, statement) = (sql.bind(params)?, self.prepare_cached(&sql.text).await?);
        Ok(GenericClient::execute(self, &statement, &values).await?)
    }
}
