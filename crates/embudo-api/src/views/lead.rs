//! Leads: in a list, and the whole record.

use embudo_app::App;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::direccion::Direccion;
use embudo_domain::empresa::Empresa;
use embudo_domain::lead::{Lead, LeadSummary};
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{Perfil, PerfilPatch};
use embudo_domain::record::LeadRecord;
use embudo_domain::reply::Attention;
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{Body, Field};
use serde::ser::SerializeMap;
use serde_json::{Value, json};

use super::parts::{
    CalificacionView, ConsentimientoView, EventView, FotoView, IntentoView, NotaView, PresupuestoView,
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
        "telefono" ("Tal como se escribió; null si no hay."): v.lead.e164().map(|_| &v.lead.telefono),
        "telefonoE164" (as e164("En E.164; null si no hay.")): v.lead.e164(),
        "email" ("Tal como se escribió; null si no hay."): v.lead.mail(),
        "provincia" ("Provincia."): &v.lead.provincia,
        "utm" ("Campaña e identificadores de anuncio."): TextMap(&v.lead.utm),
        "creadoEn": Instant(v.lead.creado_en),
        "actualizadoEn": Instant(v.lead.actualizado_en),
        "bucle" ("null si no se espera nada."): v.lead.watched_loop.as_ref().map(|watched_loop| LoopView { watched_loop }),
        ..PerfilFields(&v.lead.perfil)
    }
}

/// Every field of the profile, by its table.
struct PerfilFields<'a>(&'a Perfil);

impl Fields for PerfilFields<'_> {
    fn properties() -> Vec<(&'static str, Value)> {
        let of = |field: &Field| (field.nombre, read_back(PerfilPatch::FIELD_TABLE, field.nombre, true));
        PerfilPatch::FIELD_TABLE.iter().map(of).collect()
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.0.write(map)
    }
}

view! {
    ObraView<'a> { obra: &'a Obra } = "Obra", "Lo que decide el impuesto y parte del precio; lo que no se sabe es null.", |v| {
        ..ObraFields(v.obra)
    }
}

/// Every field of what decides tax and price, by its table.
struct ObraFields<'a>(&'a Obra);

impl Fields for ObraFields<'_> {
    fn properties() -> Vec<(&'static str, Value)> {
        Obra::fields()
            .iter()
            .map(|field| (field.nombre, read_back(Obra::fields(), field.nombre, true)))
            .collect()
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
    LeadInList<'a> { summary: &'a LeadSummary } = "LeadResumen", "Un lead en una lista.", |v| {
        ..LeadFields { lead: &v.summary.lead };
        "nivel" (of Calificacion::FIELD_TABLE): v.summary.nivel,
        "score" (of Calificacion::FIELD_TABLE): v.summary.score,
    }
}

view! {
    LeadsPage<'a> { leads: &'a [LeadSummary], next: Option<String> }
    = "PaginaDeLeads", "Una página, del más nuevo al más antiguo.", |v| {
        "leads": v.leads.iter().map(|summary| LeadInList { summary }).collect::<Vec<_>>(),
        "siguiente" ("El cursor de la página siguiente; null si no hay más."): &v.next,
    }
}

view! {
    LeadView<'a> { record: &'a LeadRecord, attention: Option<&'a Attention>, app: &'a App } = "Ficha", "La ficha completa; lo que no se sabe es null.", |v| {
        ..LeadFields { lead: &v.record.lead };
        "atendidoPor" ("La persona que contesta en lugar del bot; null si nadie lo hace. El bot no escribe mientras tanto."):
            v.attention.map(|attention| AttentionView { attention }),
        "direccion" (of Obra::fields()): v.record.lead.obra.direccion.as_ref().map(Direccion::as_str),
        "obra" ("Lo que decide el impuesto y parte del precio."): ObraView { obra: &v.record.lead.obra },
        "posibleDuplicado" ("Si hay otros con el mismo teléfono o correo."): !v.record.duplicates.is_empty(),
        "duplicadoDe" ("Otros leads de la empresa con el mismo teléfono o correo."): &v.record.duplicates,
        "fotos" ("Por orden."):
            v.record.fotos.iter().map(|foto| FotoView { lead: v.record.lead.id, foto }).collect::<Vec<_>>(),
        "notas" ("Según llegaron."): v.record.notas.iter().map(|nota| NotaView { nota }).collect::<Vec<_>>(),
        "conversacion" ("Según se aceptaron."):
            v.record.conversacion.iter().map(|turno| TurnoView { turno }).collect::<Vec<_>>(),
        "eventos" ("Según ocurrieron, con los cambios de estado."):
            v.record.events.iter().map(|event| EventView { event }).collect::<Vec<_>>(),
        "consentimientos" ("Según llegaron."):
            v.record.consentimientos.iter().map(|given| ConsentimientoView { given }).collect::<Vec<_>>(),
        "presupuestos" ("Del más nuevo al más antiguo."): presupuestos(v.record, v.app),
        "calificacion" ("null si no hay."):
            v.record.calificacion.as_ref().map(|calificacion| CalificacionView { calificacion }),
        "intentos" ("Según llegaron."):
            v.record.intentos.iter().map(|stored| IntentoView { stored }).collect::<Vec<_>>(),
    }
}

view! {
    AttentionView<'a> { attention: &'a Attention }
    = "Atencion", "Quién ha tomado la conversación: hasta que la devuelva, o 24 horas después de su último mensaje.", |v| {
        "nombre" ("Su nombre."): &v.attention.nombre,
        "desde": Instant(v.attention.since),
    }
}

fn presupuestos<'a>(record: &'a LeadRecord, app: &'a App) -> Vec<PresupuestoView<'a>> {
    let lead = record.lead.id;
    record.presupuestos.iter().map(|presupuesto| PresupuestoView { lead, presupuesto, app }).collect()
}

view! {
    LoopView<'a> { watched_loop: &'a WatchedLoop }
    = "Bucle", "Qué se espera del flujo externo desde que se le avisó del perfil.", |v| {
        "paso" ("Lo que se espera."): v.watched_loop.step,
        "desde": Instant(v.watched_loop.since),
        "limite" ("Hasta cuándo es normal esperar."): Instant(v.watched_loop.limit),
        "vencido" ("Si el plazo pasó sin que llegara."): v.watched_loop.overdue,
        "resenales" ("Avisos repetidos por sí solos."): v.watched_loop.resignals,
    }
}

fn e164(meaning: &str) -> Value {
    json!({ "type": ["string", "null"], "pattern": r"^\+[0-9]+$", "description": meaning })
}
