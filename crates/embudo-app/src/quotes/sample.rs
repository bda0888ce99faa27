//! A sample quote that shows a company how its quotes look.

use bytes::Bytes;
use embudo_domain::color::Color;
use embudo_domain::empresa::Empresa;
use embudo_domain::lead::Lead;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{Calidad, Perfil};
use embudo_domain::presupuesto::Document;
use embudo_domain::record::LeadRecord;
use embudo_domain::zona::Zona;
use embudo_domain::{LeadId, UserId};
use jiff::Timestamp;

use super::Quotes;
use crate::AppError;

impl Quotes<'_> {
    /// The PDF that a client with a bathroom of 6 m² would get if `color` were the company's colour. Nothing is stored.
    pub async fn draw_sample(self, by: UserId, empresa: Empresa, color: Color) -> Result<Bytes, AppError> {
        let record = LeadRecord::bare(nobody(LeadId(self.app.id()), empresa, self.app.now()));
        let ingredients = self.ingredients(&record).await?.in_color(color);
        let document = Document::compose(&record.lead, &[], &[], ingredients.base());
        self.draw_draft(by, &record, document).await
    }
}

fn nobody(id: LeadId, empresa: Empresa, at: Timestamp) -> Lead {
    Lead {
        id,
        empresa,
        nombre: "Cliente de muestra".to_owned(),
        telefono: "600 000 000".to_owned(),
        telefono_e164: "+34600000000".to_owned(),
        email: "cliente@ejemplo.es".to_owned(),
        provincia: None,
        perfil: Perfil {
            tipo_reforma: Some(Zona::Bano),
            m2_suelo: Some(6.0),
            calidad_global: Some(Calidad::Media),
            ..Perfil::default()
        },
        obra: Obra::default(),
        utm: Vec::new(),
        creado_en: at,
        actualizado_en: at,
        watched_loop: None,
    }
}
