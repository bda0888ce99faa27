//! Exports of data from the company as files. Each export is recorded in the audit log before the first of its data is
//! handed over.

use embudo_domain::EmpresaId;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::figures::Range;
use embudo_domain::lead::Lead;
use embudo_domain::visita::SpanishTimeZone;
use embudo_store::figures::Summary;
use embudo_store::inbox::{InboxFilter, InboxRow, InboxSort, Viewer};
use futures_util::Stream;

use crate::{Actor, App, AppError, Archive, Reach};

#[derive(Clone, Copy)]
pub struct Exports<'a> {
    pub(crate) app: &'a App,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    Csv,
    Xlsx,
}

impl ExportFormat {
    fn label(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Xlsx => "XLSX",
        }
    }
}

impl Exports<'_> {
    /// Every lead of a list, read in pages, the newest first. `asked` describes the filters for the audit log.
    pub async fn leads(
        self,
        viewer: Viewer,
        filter: InboxFilter,
        asked: String,
        format: ExportFormat,
        actor: &Actor,
    ) -> Result<impl Stream<Item = Result<Vec<InboxRow>, AppError>> + Send + use<>, AppError> {
        let empresa = viewer.empresas.first().copied();
        let after = Some(asked).filter(|asked| !asked.is_empty());
        self.log(empresa, AuditAction::LeadsExported, format, after, actor).await?;
        Ok(self.app.inbox().export(viewer, filter, InboxSort::Created))
    }

    /// The figures of a company in a range of days.
    pub async fn summary(
        self,
        empresa: EmpresaId,
        zone: SpanishTimeZone,
        range: Range,
        format: ExportFormat,
        actor: &Actor,
    ) -> Result<Summary, AppError> {
        let after = Some(format!("desde={}, hasta={}", range.from, range.to));
        self.log(Some(empresa), AuditAction::SummaryExported, format, after, actor).await?;
        Ok(self.app.store.summary(empresa, zone, range).await?)
    }

    /// A copy of everything that is known about a person.
    pub async fn person(self, lead: &Lead, reach: Reach, actor: &Actor) -> Result<Archive, AppError> {
        let archive = self.app.rights().archive(lead.id, reach).await?;
        self.app.leads().log(lead.id, lead.empresa.id, AuditAction::PersonExported, None, actor).await?;
        Ok(archive)
    }

    async fn log(
        self,
        empresa: Option<EmpresaId>,
        action: AuditAction,
        format: ExportFormat,
        after: Option<String>,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let object = Some(format.label().to_owned());
        let entry = AuditEntry { empresa, object, after, ..self.app.access().audit(actor, action) };
        Ok(self.app.store.record_audit(entry).await?)
    }
}
