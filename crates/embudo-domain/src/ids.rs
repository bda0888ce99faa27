//! Typed identities, so that a photo's id is never passed where a lead's is meant.

identidad! {
    /// A lead.
    LeadId,
    /// A company (tenant).
    EmpresaId,
    /// A chat turn.
    TurnoId,
    /// A photo.
    FotoId,
    /// A note.
    NotaId,
    /// A contact attempt.
    IntentoId,
    /// An event of a lead.
    EventoId,
    /// A job of the outbox.
    TrabajoId,
    /// A process that works on jobs.
    ProcesoId,
    /// A quote.
    PresupuestoId,
}

/// Reads a hyphenated UUID in any case; every other spelling names nothing (contract §1).
pub fn uuid_con_guiones(texto: &str) -> Option<uuid::Uuid> {
    if texto.len() != 36 {
        return None;
    }
    uuid::Uuid::try_parse(texto).ok()
}

impl LeadId {
    /// Reads the `:id` of a path.
    pub fn desde(texto: &str) -> Option<Self> {
        uuid_con_guiones(texto).map(Self)
    }
}

impl FotoId {
    /// Reads the `:fotoId` of a path.
    pub fn desde(texto: &str) -> Option<Self> {
        uuid_con_guiones(texto).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_names_a_lead() {
        let id = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
        assert!(LeadId::desde(id).is_some());
        assert_eq!(LeadId::desde(&id.to_uppercase()), LeadId::desde(id));
        for otro in [&id.replace('-', ""), &format!("{{{id}}}"), &format!("urn:uuid:{id}"), "", "x"] {
            assert_eq!(LeadId::desde(otro), None, "{otro}");
        }
    }
}
