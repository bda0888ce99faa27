//! Stores what was measured or seen on a visit as an internal note of the lead.

use embudo_domain::audit::AuditAction;
use embudo_domain::nota::NotaInterna;
use embudo_domain::visita::{SpanishTimeZone, Visita};
use embudo_domain::{NotaId, UserId};
use embudo_store::Result;
use embudo_store::inbox::Viewer;

use super::Visits;
use crate::Actor;

impl Visits<'_> {
    /// Adds a note with what was measured or seen. The same text is stored only once, and an empty text is not stored.
    pub async fn note_measured(
        self,
        visita: &Visita,
        zone: SpanishTimeZone,
        text: &str,
        author: UserId,
        actor: &Actor,
    ) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let when = visita.start.map(|start| zone.short(start)).unwrap_or_default();
        let nota = NotaInterna {
            id: NotaId::of_press(visita.lead, visita.id.0, text),
            author,
            text: format!("En la visita {when}:\n{text}"),
            creada_en: self.app.now(),
        };
        let audit = self.app.leads().entry(visita.lead, visita.empresa, AuditAction::NotaWritten, actor);
        let viewer = Viewer { who: author, empresas: vec![visita.empresa] };
        self.app.store.add_nota_interna(&viewer, visita.lead, nota, audit).await?;
        Ok(())
    }
}
