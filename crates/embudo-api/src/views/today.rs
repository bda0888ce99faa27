//! What a person should do today. The text that a person wrote about it is left out: it is for the company's own people
//! only.

use embudo_app::{Due, Today};
use embudo_domain::Body;
use embudo_domain::calificacion::Calificacion;
use embudo_store::inbox::InboxRow;

use super::lead::EmpresaView;
use super::shape::{Instant, NonEmpty};

view! {
    TodayView<'a> { today: &'a Today }
    = "Pendencias", "Lo que espera hoy a una persona: primero lo que ya toca, por urgencia, puntuación y antigüedad.", |v| {
        "hasta" ("Lo que toca antes de este instante: el final del día de la empresa."): Instant(v.today.until),
        "pendientes": v.today.due.iter().map(|due| DueView { due }).collect::<Vec<_>>(),
        "hayMas" ("Si hay más de los que caben en `limite`."): v.today.more,
        "visitas" ("Las visitas acordadas que quedan hoy, por hora."):
            v.today.visits.iter().map(|(row, start)| TodayVisitView { row, start: Instant(*start) }).collect::<Vec<_>>(),
    }
}

view! {
    DueView<'a> { due: &'a Due } = "Pendiente", "Lo próximo que hay que hacer con un lead.", |v| {
        "leadId": v.due.row.summary.lead.id,
        "empresa": EmpresaView { empresa: &v.due.row.summary.lead.empresa },
        "nombre": NonEmpty(&v.due.row.summary.lead.nombre),
        "etapa" ("Hasta dónde ha llegado."): v.due.row.etapa,
        "accion" ("`manual`: lo que alguien apuntó en el panel. `derecho`: pidió sus datos o que se borren. `llamar`: pidió una llamada. \
                 `visita_pedida`: pidió una visita. `responder`: escribió y nadie ha contestado. `revisar`: un borrador de presupuesto espera. \
                 `contactar`: lead nuevo sin contactar. `bucle`: el flujo externo se retrasa. `insistir`: presupuesto sin respuesta. \
                 `planificar_obra`: aceptado y sin fecha."):
            v.due.kind,
        "vence" ("Desde cuándo toca."): Instant(v.due.at),
        "vencida" ("true si ya toca."): v.due.is_due,
        "nivel" (of Calificacion::FIELD_TABLE): v.due.row.summary.nivel,
        "score" (of Calificacion::FIELD_TABLE): v.due.row.summary.score,
    }
}

view! {
    TodayVisitView<'a> { row: &'a InboxRow, start: Instant } = "VisitaDeHoy", "Una visita acordada.", |v| {
        "leadId": v.row.summary.lead.id,
        "nombre": NonEmpty(&v.row.summary.lead.nombre),
        "inicio": &v.start,
    }
}
