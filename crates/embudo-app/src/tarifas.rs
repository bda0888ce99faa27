//! A company's price tables, as people view them and prepare the next one.

use std::time::Duration;

use embudo_domain::EmpresaId;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::data::InvalidData;
use embudo_domain::iva::MaterialsShare;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::tarifa::diff::{self, JobChange, TarifaDiff};
use embudo_store::edited::Edited;
use embudo_store::empresas::{AddTarifa, StoredTarifa, TarifaVersion, WithdrawTarifa, Withdrawal};
use embudo_store::{Result, StoreError};
use jiff::SignedDuration;
use jiff::civil::Date;

use crate::{Actor, App, day_in_spain};

/// A table can be withdrawn until this time before its first day; making a quote takes less time.
const BEFORE_IT_BEGINS: SignedDuration = SignedDuration::from_hours(1);

/// How long a person waits for a free processor.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Copy)]
pub struct Tarifas<'a> {
    pub(crate) app: &'a App,
}

/// The differences between a table and the one before it.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    pub diff: TarifaDiff,
    /// What usual jobs cost by either table.
    pub jobs: Vec<JobChange>,
    /// The jobs of the later table whose materials come near the limit of the reduced tax, or exceed it.
    pub near_limit: Vec<MaterialsShare>,
}

/// A table to be stored as the company's next one, with its audit log entry.
#[derive(Debug, Clone)]
pub struct NextTarifa {
    pub version: String,
    pub since: Date,
    pub text: String,
    pub before: String,
    pub after: String,
}

impl Tarifas<'_> {
    /// A company's versions, the latest day first.
    pub async fn versions(self, empresa: EmpresaId) -> Result<Vec<TarifaVersion>> {
        self.app.store.tarifa_versions(empresa).await
    }

    /// The table of a version. `None` also if only an older program could read that version.
    pub async fn find(self, empresa: EmpresaId, version: &str) -> Result<Option<Tarifa>> {
        let Some(stored) = self.app.store.tarifa(empresa, version.to_owned()).await? else { return Ok(None) };
        Ok(Tarifa::parse(&stored.text)
            .inspect_err(
                |error| tracing::error!(empresa.id = %empresa, version, %error, "a price table no longer reads"),
            )
            .ok())
    }

    /// Reads what a person wrote or uploaded, off the request threads.
    pub async fn read(self, text: String) -> Result<std::result::Result<Tarifa, InvalidData>> {
        self.aside(move || Tarifa::parse(&text)).await
    }

    /// Like [`Self::read`] for a file: all its prices are the company's own, and the returned text marks them as such.
    pub async fn read_file(self, text: String) -> Result<std::result::Result<(String, Tarifa), InvalidData>> {
        let read = move || {
            let marked = Tarifa::imported_text(&text)?;
            let table = Tarifa::parse(&marked)?;
            Ok((marked, table))
        };
        self.aside(read).await
    }

    /// Like [`Self::read`] for a CSV file, whose items replace those of the table `base`. Everything that the file does
    /// not contain stays unchanged.
    pub async fn read_csv(
        self,
        base: Tarifa,
        text: String,
    ) -> Result<std::result::Result<(String, Tarifa), InvalidData>> {
        self.aside(move || base.with_csv(&text).map(|table| (table.write(), table))).await
    }

    /// The effects of a table, computed off the request threads because thousands of jobs are priced.
    pub async fn compare(self, before: Tarifa, after: Tarifa) -> Result<Comparison> {
        let impuestos = self.app.quotes().impuestos();
        self.aside(move || Comparison {
            diff: diff::diff(&before, &after),
            jobs: diff::compare(&before, &after, &diff::usual_jobs(&after)),
            near_limit: impuestos.near_limit(&after),
        })
        .await
    }

    /// Stores the next table, unless other versions were added since the person saw the list `seen`.
    pub async fn add(
        self,
        empresa: EmpresaId,
        seen: Vec<TarifaVersion>,
        next: NextTarifa,
        actor: &Actor,
    ) -> Result<Edited> {
        let NextTarifa { version, since, text, before, after } = next;
        let audit = AuditEntry {
            object: Some(version.clone()),
            before: Some(before),
            after: Some(after),
            ..self.audit(empresa, AuditAction::TarifaAdded, actor)
        };
        let tarifa = StoredTarifa { version, since, text, creada_en: self.app.now() };
        self.app.store.add_tarifa(AddTarifa { empresa, seen, tarifa, audit }).await
    }

    /// Whether a table that begins on this day can still be withdrawn.
    pub fn is_withdrawable(self, since: Date) -> bool {
        since > self.last_begun()
    }

    /// Withdraws a table that has not begun.
    pub async fn withdraw(
        self,
        empresa: EmpresaId,
        version: TarifaVersion,
        actor: &Actor,
    ) -> Result<Withdrawal> {
        let audit = AuditEntry {
            object: Some(version.version.clone()),
            before: Some(format!("{}, desde el {}", version.version, version.since)),
            ..self.audit(empresa, AuditAction::TarifaWithdrawn, actor)
        };
        let today = self.last_begun();
        self.app
            .store
            .withdraw_tarifa(WithdrawTarifa { empresa, version: version.version, today, audit })
            .await
    }

    fn last_begun(self) -> Date {
        day_in_spain(self.app.now() + BEFORE_IT_BEGINS)
    }

    /// Runs `work` off the request threads. It uses the same semaphore as photos, because both need a processor.
    async fn aside<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let seat = tokio::time::timeout(PATIENCE, self.app.photo_queue.seats.acquire()).await;
        let busy = |_| StoreError::Unavailable("too much is being calculated".to_owned());
        let _seat = seat.map_err(busy)?.expect("the seats are never closed");
        let done = tokio::task::spawn_blocking(work).await;
        Ok(done.expect("the task is not cancelled; a panic in it is this request's panic"))
    }

    fn audit(self, empresa: EmpresaId, action: AuditAction, actor: &Actor) -> AuditEntry {
        AuditEntry { empresa: Some(empresa), ..self.app.access().audit(actor, action) }
    }
}
