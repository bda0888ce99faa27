//! Leads: in a list, and the whole record.

use embudo_app::App;
use embudo_domain::bucle::Bucle;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::empresa::Empresa;
use embudo_domain::ficha::{Ficha, Lead, LeadResumen};
use embudo_domain::perfil::{Perfil, PerfilPatch};
use embudo_domain::{Campo, Cuerpo};
use serde::ser::SerializeMap;
use serde_json::{Value, json};

use super::parts::{
    CalificacionView, ConsentimientoView, EventoView, FotoView, IntentoView, NotaView, PresupuestoView,
    TurnoView,
};
use super::shape::{Instant, NonEmpty, TextMap};
use super::view::Fields;
use crate::schema::read_back;

fields! {
    LeadFields<'a> { lead: &'a Lead } |v| {
        "id": v.lead.id,
        "empresa": EmpresaView { empresa: &v.lead.empresa },
        "nombre": NonEmpty(&v.lead.nombre),
        "telefono" ("Tal como se escribió."): &v.lead.telefono,
        "telefonoE164" (as e164("En E.164.")): &v.lead.telefono_e164,
        "email" ("Tal como se escribió."): &v.lead.email,
        "provincia" ("Provincia."): &v.lead.provincia,
        "utm" ("Campaña e identificadores de anuncio."): TextMap(&v.lead.utm),
        "creadoEn": Instant(v.lead.creado_en),
        "actualizadoEn": Instant(v.lead.actualizado_en),
        "bucle" ("null si no se espera nada."): v.lead.bucle.as_ref().map(|bucle| BucleView { bucle }),
        ..PerfilFields(&v.lead.perfil)
    }
}

/// Every field of the profile, by its table.
struct PerfilFields<'a>(&'a Perfil);

impl Fields for PerfilFields<'_> {
    fn properties() -> Vec<(&'static str, Value)> {
        let of = |campo: &Campo| (campo.nombre, read_back(PerfilPatch::CAMPOS, campo.nombre, true));
        PerfilPatch::CAMPOS.iter().map(of).collect()
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.0.write(map)
    }
}

view! {
    EmpresaView<'a> { empresa: &'a Empresa } = "Empresa", "La empresa del lead.", |v| {
        "tenantId": v.empresa.id,
        "nombre" ("Su nombre."): &v.empresa.nombre,
    }
}

view! {
    LeadInList<'a> { resumen: &'a LeadResumen } = "LeadResumen", "Un lead en una lista.", |v| {
        ..LeadFields { lead: &v.resumen.lead };
        "nivel" (of Calificacion::CAMPOS): v.resumen.nivel,
        "score" (of Calificacion::CAMPOS): v.resumen.score,
    }
}

view! {
    LeadsPage<'a> { leads: &'a [LeadResumen], siguiente: Option<String> }
    = "PaginaDeLeads", "Una página, del más nuevo al más antiguo.", |v| {
        "leads": v.leads.iter().map(|resumen| LeadInList { resumen }).collect::<Vec<_>>(),
        "siguiente" ("El cursor de la página siguiente; null si no hay más."): &v.siguiente,
    }
}

view! {
    LeadRecord<'a> { ficha: &'a Ficha, app: &'a App } = "Ficha", "La ficha completa; lo que no se sabe es null.", |v| {
        ..LeadFields { lead: &v.ficha.lead };
        "posibleDuplicado" ("Si hay otros con el mismo teléfono o correo."): !v.ficha.duplicados.is_empty(),
        "duplicadoDe" ("Otros leads de la empresa con el mismo teléfono o correo."): &v.ficha.duplicados,
        "fotos" ("Por orden."):
            v.ficha.fotos.iter().map(|foto| FotoView { lead: v.ficha.lead.id, foto }).collect::<Vec<_>>(),
        "notas" ("Según llegaron."): v.ficha.notas.iter().map(|nota| NotaView { nota }).collect::<Vec<_>>(),
        "conversacion" ("Según se aceptaron."):
            v.ficha.conversacion.iter().map(|turno| TurnoView { turno }).collect::<Vec<_>>(),
        "eventos" ("Según ocurrieron, con los cambios de estado."):
            v.ficha.eventos.iter().map(|evento| EventoView { evento }).collect::<Vec<_>>(),
        "consentimientos" ("Según llegaron."):
            v.ficha.consentimientos.iter().map(|given| ConsentimientoView { given }).collect::<Vec<_>>(),
        "presupuestos" ("Del más nuevo al más antiguo."): presupuestos(v.ficha, v.app),
        "calificacion" ("null si no hay."):
            v.ficha.calificacion.as_ref().map(|calificacion| CalificacionView { calificacion }),
        "intentos" ("Según llegaron."):
            v.ficha.intentos.iter().map(|guardado| IntentoView { guardado }).collect::<Vec<_>>(),
    }
}

fn presupuestos<'a>(ficha: &'a Ficha, app: &'a App) -> Vec<PresupuestoView<'a>> {
    let lead = ficha.lead.id;
    ficha.presupuestos.iter().map(|presupuesto| PresupuestoView { lead, presupuesto, app }).collect()
}

view! {
    BucleView<'a> { bucle: &'a Bucle }
    = "Bucle", "Qué se espera del flujo externo desde que se le avisó del perfil.", |v| {
        "paso" ("Lo que se espera."): v.bucle.paso,
        "desde": Instant(v.bucle.desde),
        "limite" ("Hasta cuándo es normal esperar."): Instant(v.bucle.limite),
        "vencido" ("Si el plazo pasó sin que llegara."): v.bucle.vencido,
        "resenales" ("Avisos repetidos por sí solos."): v.bucle.resenales,
    }
}

fn e164(meaning: &str) -> Value {
    json!({ "type": "string", "pattern": r"^\+[0-9]+$", "description": meaning })
}
