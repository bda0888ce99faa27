//! What is known of the work that a lead wants, and its partial update (contract §2.3): only the fields sent are
//! written.

use jiff::Timestamp;

use crate::Zona;
use crate::body::{Body, Data, require_any};
use crate::columns::{Cell, stored_words};
use crate::errors::Invalid;
use crate::schema::Field;

enumeration! {
    /// Delivery state of the messages. Any state may follow any other: the state that is sent is written.
    EstadoWa {
        NotSent = "sin_enviar",
        Enviado = "enviado",
        Entregado = "entregado",
        Leido = "leido",
        Fallido = "fallido",
    }
}

labels! {
    EstadoWa {
        NotSent => "Sin enviar",
        Enviado => "Enviado",
        Entregado => "Entregado",
        Leido => "Leído",
        Fallido => "Fallido",
    }
}

enumeration! {
    /// Where the lead came from.
    CanalOrigen {
        WebForm = "formulario_web",
        Messaging = "messaging",
        Call = "llamada",
        Referido = "referido",
        Anuncio = "anuncio",
    }
}

labels! {
    CanalOrigen {
        WebForm => "Formulario web",
        Messaging => "Mensajería",
        Call => "Llamada",
        Referido => "Recomendación",
        Anuncio => "Anuncio",
    }
}

enumeration! {
    Calidad { Basica = "basica", Media = "media", Premium = "premium" }
}

labels! {
    Calidad { Basica => "Básica", Media => "Media", Premium => "Premium" }
}

impl Calidad {
    /// The label within a sentence.
    pub fn in_sentence(self) -> &'static str {
        match self {
            Self::Basica => "básica",
            Self::Media => "media",
            Self::Premium => "premium",
        }
    }
}

enumeration! {
    Urgencia { Alta = "alta", Media = "media", Baja = "baja" }
}

labels! {
    Urgencia { Alta => "Urgente", Media => "Urgencia media", Baja => "Sin prisa" }
}

stored_words!(EstadoWa, CanalOrigen, Calidad, Urgencia);

field_list! {
    /// The lead's own fields; `None` is "not sent" in a patch and "not known" in a record.
    Perfil {
        bot_step: String, "botStep", "Paso actual del bot.", r#""pide_fotos""#;
        estado_wa: EstadoWa, "estadoWa", "Estado de mensajería.", r#""entregado""#;
        canal_origen: CanalOrigen, "canalOrigen", "Canal de origen.", r#""messaging""#;
        viable: bool, "viable", "Si el lead es viable.", "true";
        espacio: String, "espacio", "Espacio, tal como lo dijo.", r#""el baño de arriba""#;
        rango_m2: String, "rangoM2", "Metros, tal como los dijo.", r#""4-6""#;
        estilo: String, "estilo", "Estilo, tal como lo dijo.", r#""nórdico""#;
        presupuesto_declarado: String, "presupuestoDeclarado", "Presupuesto, tal como lo dijo.", r#""unos 6.000""#;
        fotos_solicitadas_at: Timestamp, "fotosSolicitadasAt",
            "Cuándo se pidieron fotos. RFC 3339 con Z o desfase; se guarda en UTC.", r#""2026-11-14T10:30:00Z""#;
        tipo_reforma: Zona, "tipoReforma", "Tipo de reforma.", r#""bano""#;
        m2_suelo: f64, "m2Suelo", "Superficie de suelo en m².", "5.5";
        calidad_global: Calidad, "calidadGlobal", "Calidad.", r#""media""#;
        urgencia: Urgencia, "urgencia", "Urgencia.", r#""alta""#;
        presupuesto_target_cents: i64, "presupuestoTarget", "Presupuesto objetivo en céntimos.", "650000";
        taste_text: String, "tasteText", "Preferencias en texto libre.", r#""Madera clara y mucha luz""#;
        estructural: bool, "estructural", "Si hay obra estructural.", "false";
    }
}

impl Perfil {
    /// The approximate size of its texts in bytes.
    pub fn bytes(&self) -> usize {
        let texts = self.cells().into_iter().flatten();
        texts.map(|cell| if let Cell::Text(text) = cell { text.len() } else { 0 }).sum()
    }
}

/// What one call changes, with the names of the fields it sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PerfilPatch {
    pub perfil: Perfil,
    /// The names of the sent fields on the wire, in the specification's order.
    pub sent: Vec<&'static str>,
}

impl Body for PerfilPatch {
    const FIELD_TABLE: &'static [Field] = &FIELD_TABLE;

    fn rules(d: &Data, wrong: &mut Invalid) {
        require_any(d, wrong);
    }

    fn assemble(mut d: Data) -> Self {
        let sent = d.sent();
        Self { perfil: Perfil::assemble(&mut d), sent }
    }
}
