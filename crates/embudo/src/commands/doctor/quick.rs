//! The checks that are fast enough for a page: nothing is written, no other machines are contacted except storage and
//! backups, and each check has a short time limit.

use super::{Check, Fault, Outcome, backups, folder, public_url, settings_told, storage};
use crate::installation;
use crate::settings::Settings;
use embudo_app::App;
use embudo_domain::Timestamp;
use embudo_pages::{Check as ShownCheck, CheckResult};
use std::time::Duration;

/// How long one check may take.
const SOON: Duration = Duration::from_secs(3);

/// The automatic backups.
pub enum BackupsFound {
    Off,
    Unknown,
    /// When each backup was made, oldest first.
    At(Vec<Timestamp>),
}

/// Runs the checks with the storage that the server has open.
pub async fn quick(settings: &Settings, app: &App) -> (Vec<ShownCheck>, BackupsFound) {
    let store = &*app.store;
    let refused = |error| storage::fault(installation::store_error(settings, error));
    let (database, jobs, too_long, empresas, moments) = tokio::join!(
        soon(async { store.ping().await.map(|()| "answers".to_owned()).map_err(refused) }),
        soon(storage::jobs(settings, store)),
        soon(storage::too_long(settings, store)),
        soon(storage::empresas(settings, store)),
        soon(async {
            let Some(dest) = &settings.backup_dest else { return Ok(None) };
            let Some(database) = storage::id(store).await else { return Ok(Some(Vec::new())) };
            backups::moments(settings, dest, database).await.map(Some)
        }),
    );
    let mut checks = vec![
        Check::of("settings", Ok(settings_told(settings))),
        Check::of("API key", folder::key(settings)),
        Check::of("database", database),
        Check::of("jobs", jobs),
        public_url(settings, too_long.unwrap_or_default()),
    ];
    let found = match moments {
        Ok(None) => BackupsFound::Off,
        Ok(Some(moments)) => {
            checks.push(Check::of("backups", backups::judge_now(settings, &moments)));
            BackupsFound::At(moments)
        }
        Err(fault) => {
            checks.push(Check::of("backups", Err(fault)));
            BackupsFound::Unknown
        }
    };
    checks.push(Check::of("companies", empresas));
    (checks.into_iter().map(shown).collect(), found)
}

async fn soon<T>(check: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    tokio::time::timeout(SOON, check).await.unwrap_or_else(|_| {
        let problem = format!("no answer in {} s", SOON.as_secs());
        Err(Fault::new(problem, "embudo doctor waits longer"))
    })
}

fn shown(check: Check) -> ShownCheck {
    ShownCheck {
        name: check.check,
        result: match check.result {
            Outcome::Ok => CheckResult::Ok,
            Outcome::Notice => CheckResult::Warning,
            Outcome::Fails => CheckResult::Failed,
            Outcome::NotConfigured => CheckResult::NotConfigured,
        },
        detail: check.detail,
        mend: check.mend,
    }
}
