//! The partial update of a lead (contract §2.3): only the fields sent are written.

use jiff::Timestamp;

use crate::Zona;
use crate::calificacion::exigir_alguno;
use crate::cuerpo::{Cuerpo, Datos};
use crate::errores::Invalido;
use crate::esquema::{Campo, MAX_ENTERO, Tipo};
use crate::lead::{Calidad, CanalOrigen, EstadoWa, Urgencia};

/// The lead's own fields; `None` is "not sent" in a patch and "not known" in a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Perfil {
    /// Current bot step.
    pub bot_step: Option<String>,
    /// Message delivery state.
    pub estado_wa: Option<EstadoWa>,
    /// Origin channel.
    pub canal_origen: Option<CanalOrigen>,
    /// Whether the lead is viable.
    pub viable: Option<bool>,
    /// Raw extraction: the space.
    pub espacio: Option<String>,
    /// Raw extraction: the area.
    pub rango_m2: Option<String>,
    /// Raw extraction: the style.
    pub estilo: Option<String>,
    /// Raw extraction: the budget.
    pub presupuesto_declarado: Option<String>,
    /// When photos were requested.
    pub fotos_solicitadas_at: Option<Timestamp>,
    /// Normalised renovation type.
    pub tipo_reforma: Option<Zona>,
    /// Floor area, > 0.
    pub m2_suelo: Option<f64>,
    /// Quality.
    pub calidad_global: Option<Calidad>,
    /// Urgency.
    pub urgencia: Option<Urgencia>,
    /// Target budget in cents.
    pub presupuesto_target_cents: Option<i64>,
    /// Free-text preferences.
    pub taste_text: Option<String>,
    /// Whether structural work is present.
    pub estructural: Option<bool>,
}

/// What one call changes, with the names of the fields it sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PerfilPatch {
    /// The values sent.
    pub perfil: Perfil,
    /// Their request names, in the specification's order.
    pub enviados: Vec<&'static str>,
}

/// The fields of the profile, shared with the creation of a lead.
pub(crate) const CAMPOS: [Campo; 16] = [
    Campo::opcional("botStep", Tipo::Texto, "Paso actual del bot.", r#""pide_fotos""#),
    Campo::opcional("estadoWa", Tipo::Uno(EstadoWa::PALABRAS), "Estado de mensajería.", r#""entregado""#),
    Campo::opcional("canalOrigen", Tipo::Uno(CanalOrigen::PALABRAS), "Canal de origen.", r#""messaging""#),
    Campo::opcional("viable", Tipo::Booleano, "Si el lead es viable.", "true"),
    Campo::opcional("espacio", Tipo::Texto, "Espacio, tal como lo dijo.", r#""el baño de arriba""#),
    Campo::opcional("rangoM2", Tipo::Texto, "Metros, tal como los dijo.", r#""4-6""#),
    Campo::opcional("estilo", Tipo::Texto, "Estilo, tal como lo dijo.", r#""nórdico""#),
    Campo::opcional("presupuestoDeclarado", Tipo::Texto, "Presupuesto, tal como lo dijo.", r#""unos 6.000""#),
    Campo::opcional(
        "fotosSolicitadasAt",
        Tipo::FechaHora,
        "Cuándo se pidieron fotos. RFC 3339 con Z o desfase; se guarda en UTC.",
        r#""2026-11-14T10:30:00Z""#,
    ),
    Campo::opcional("tipoReforma", Tipo::Uno(Zona::PALABRAS), "Tipo de reforma.", r#""bano""#),
    Campo::opcional("m2Suelo", Tipo::Positivo, "Superficie de suelo en m².", "5.5"),
    Campo::opcional("calidadGlobal", Tipo::Uno(Calidad::PALABRAS), "Calidad.", r#""media""#),
    Campo::opcional("urgencia", Tipo::Uno(Urgencia::PALABRAS), "Urgencia.", r#""alta""#),
    Campo::opcional(
        "presupuestoTarget",
        Tipo::Entero { min: 0, max: MAX_ENTERO },
        "Presupuesto objetivo en céntimos.",
        "650000",
    ),
    Campo::opcional(
        "tasteText",
        Tipo::Texto,
        "Preferencias en texto libre.",
        r#""Madera clara y mucha luz""#,
    ),
    Campo::opcional("estructural", Tipo::Booleano, "Si hay obra estructural.", "false"),
];

impl Perfil {
    pub(crate) fn armar(d: &mut Datos) -> Self {
        Self {
            bot_step: d.texto("botStep"),
            estado_wa: d.palabra("estadoWa", EstadoWa::parse),
            canal_origen: d.palabra("canalOrigen", CanalOrigen::parse),
            viable: d.booleano("viable"),
            espacio: d.texto("espacio"),
            rango_m2: d.texto("rangoM2"),
            estilo: d.texto("estilo"),
            presupuesto_declarado: d.texto("presupuestoDeclarado"),
            fotos_solicitadas_at: d.fecha("fotosSolicitadasAt"),
            tipo_reforma: d.palabra("tipoReforma", Zona::parse),
            m2_suelo: d.numero("m2Suelo"),
            calidad_global: d.palabra("calidadGlobal", Calidad::parse),
            urgencia: d.palabra("urgencia", Urgencia::parse),
            presupuesto_target_cents: d.entero("presupuestoTarget"),
            taste_text: d.texto("tasteText"),
            estructural: d.booleano("estructural"),
        }
    }
}

impl Cuerpo for PerfilPatch {
    const CAMPOS: &'static [Campo] = &CAMPOS;

    fn reglas(d: &Datos, mal: &mut Invalido) {
        exigir_alguno(d, mal);
    }

    fn armar(mut d: Datos) -> Self {
        let enviados = d.enviados();
        Self { perfil: Perfil::armar(&mut d), enviados }
    }
}
