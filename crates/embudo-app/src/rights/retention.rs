//! Erases leads that led to nothing, once the company's retention period for them has ended.

use embudo_domain::etapa::Etapa;
use embudo_domain::rights::{ErasureReason, Retention, months_before};
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::rights::{ErasedLead, Term};

use super::{Reach, Rights};
use crate::{Actor, AppError};

/// The maximum number of people whom one rule of a company erases in one run, and the maximum that a dry run counts.
const SLICE: u32 = 50;
const MOST: u32 = 10_000;

/// Etapas of leads that nobody works on and that have led to nothing yet. Leads that accepted a quote or expect a visit
/// are never in these etapas.
const QUIET: [Etapa; 6] = [
    Etapa::Nuevo,
    Etapa::EnConversacion,
    Etapa::PerfilCompleto,
    Etapa::EsperandoRenders,
    Etapa::PorRevisar,
    Etapa::PresupuestoEnviado,
];

/// What a rule would erase now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// The number of leads, including leads that are united with others.
    pub count: usize,
    /// Whether there are more than were counted.
    pub more: bool,
    /// When something last happened to the lead that has been inactive for longest.
    pub oldest: Option<Timestamp>,
}

/// What the rules of a company would erase now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DryRun {
    pub lost: Forgotten,
    pub quiet: Forgotten,
}

impl Rights<'_> {
    /// What these rules would erase now. Nothing is erased.
    pub async fn dry_run(self, empresa: EmpresaId, rules: &Retention) -> Result<DryRun, AppError> {
        let count = |etapas: Vec<&'static str>, months: Option<u16>| async move {
            let Some(term) = self.term(etapas, months) else { return Ok(Forgotten::default()) };
            let found = self.app.store.forgotten_leads(empresa, &term, MOST + 1).await?;
            let counted = found.iter().take(MOST as usize);
            Ok::<_, AppError>(Forgotten {
                count: counted.map(|person| person.leads).sum(),
                more: found.len() > MOST as usize,
                oldest: found.first().map(|person| person.since),
            })
        };
        Ok(DryRun {
            lost: count(lost(), rules.lost_months).await?,
            quiet: count(quiet(), rules.quiet_months).await?,
        })
    }

    fn term(self, etapas: Vec<&'static str>, months: Option<u16>) -> Option<Term> {
        Some(Term { etapas, before: months_before(self.app.now(), months?) })
    }

    /// Erases leads by the companies' own rules, some in each run; returns how many leads. Somebody may write about a
    /// person meanwhile, so each erasure checks the lead again.
    pub async fn keep_terms(self) -> Result<usize, AppError> {
        let actor = Actor { user: None, who: "plazo de conservación".to_owned(), ip: None };
        let mut erased = Vec::new();
        for empresa in self.app.store.list_empresas().await? {
            let rules = self.app.store.settings(empresa.id).await?.retention;
            for (etapas, months) in [(lost(), rules.lost_months), (quiet(), rules.quiet_months)] {
                let Some(term) = self.term(etapas, months) else { continue };
                for person in self.app.store.forgotten_leads(empresa.id, &term, SLICE).await? {
                    for one in self.person(person.lead, Reach::United).await?.into_iter().rev() {
                        let end = self.erase_rows(one, ErasureReason::Term, Some(&term), &actor).await?;
                        if end == ErasedLead::Kept {
                            break;
                        }
                        erased.push(one);
                    }
                }
            }
        }
        self.finish(&erased).await?;
        Ok(erased.len())
    }
}

fn lost() -> Vec<&'static str> {
    vec![Etapa::Perdido.as_str()]
}

fn quiet() -> Vec<&'static str> {
    QUIET.iter().map(|etapa| etapa.as_str()).collect()
}
