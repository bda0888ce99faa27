//! What belongs to a lead: photos, notes, turns, qualification, attempts, events, consents, quotes.

use embudo_app::App;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::consentimiento::{self, Consentimiento};
use embudo_domain::conversacion::Turno;
use embudo_domain::event::Event;
use embudo_domain::foto::Foto;
use embudo_domain::intento::Intento;
use embudo_domain::nota::Nota;
use embudo_domain::number::PlainNumber;
use embudo_domain::presupuesto::{Acceptance, PresupuestoDelivery, PresupuestoSummary, StoredPdf};
use embudo_domain::record::{StoredIntento, StoredTurno};
use embudo_domain::{Body, Kind, LeadId};
use embudo_store::leads::ListedEvent;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::shape::{Day, Href, Instant, NonEmpty};
use crate::schema::{integer, of_kind, with};

view! {
    ReceivedFoto<'a> { foto: &'a Foto, image: &'a str }
    = "FotoRecibida", "La foto, con la imagen exactamente como se recibió.", |v| {
        "id": v.foto.id,
        "imagen" (as with(of_kind(Kind::Image), "Tal como se recibió.")): v.image,
        "zona" ("La zona enviada o la que se supuso al guardarla."): v.foto.zona,
        "momento": v.foto.momento,
        "orden" ("Su posición."): PlainNumber(v.foto.orden),
    }
}

view! {
    FotoView<'a> { lead: LeadId, foto: &'a Foto } = "Foto", "Una foto guardada.", |v| {
        "id": v.foto.id,
        "zona" ("La zona enviada o la que se supuso al guardarla."): v.foto.zona,
        "momento": v.foto.momento,
        "orden" ("Su posición."): PlainNumber(v.foto.orden),
        "legible" ("false si de la imagen recibida no se pueden leer los bytes."): v.foto.image.legible(),
        "href" ("Dónde leerla."): Href(format!("/api/leads/{}/fotos/{}", v.lead, v.foto.id)),
        "creadaEn": Instant(v.foto.creada_en),
    }
}

view! {
    NotaView<'a> { nota: &'a Nota } = "Nota", "Una nota guardada.", |v| {
        "id": v.nota.id,
        "texto": NonEmpty(&v.nota.text),
        "zona" ("null si no se envió."): v.nota.zona,
        "creadaEn": Instant(v.nota.creada_en),
    }
}

view! {
    TurnoView<'a> { turno: &'a StoredTurno } = "TurnoGuardado", "Un turno guardado.", |v| {
        "id": v.turno.id,
        "rol" (of Turno::FIELD_TABLE): v.turno.rol,
        "mensaje" (of Turno::FIELD_TABLE): &v.turno.mensaje,
        "mediaType" (of Turno::FIELD_TABLE): &v.turno.media_type,
        "mediaUrl" (of Turno::FIELD_TABLE): &v.turno.media_url,
        "transcripcionAudio" (of Turno::FIELD_TABLE): &v.turno.transcripcion_audio,
        "creadoEn": Instant(v.turno.creado_en),
    }
}

view! {
    CalificacionView<'a> { calificacion: &'a Calificacion }
    = "CalificacionGuardada", "La calificación del lead.", |v| {
        "score" (of Calificacion::FIELD_TABLE): v.calificacion.score,
        "nivel" (of Calificacion::FIELD_TABLE): v.calificacion.nivel,
        "criterios" (of Calificacion::FIELD_TABLE): v.calificacion.criterios.as_deref().map(raw),
        "notasAgente" (of Calificacion::FIELD_TABLE): &v.calificacion.notas_agente,
    }
}

view! {
    IntentoView<'a> { stored: &'a StoredIntento } = "IntentoGuardado", "Un intento guardado.", |v| {
        "id": v.stored.id,
        "canal" (of Intento::FIELD_TABLE): v.stored.intento.channel,
        "numeroIntento" (of Intento::FIELD_TABLE): v.stored.intento.numero_intento,
        "resultado" (of Intento::FIELD_TABLE): v.stored.intento.result,
        "completado" (of Intento::FIELD_TABLE): v.stored.intento.completed,
        "duracionSeg" (of Intento::FIELD_TABLE): v.stored.intento.duracion_seg,
        "notas" (of Intento::FIELD_TABLE): &v.stored.intento.notas,
        "creadoEn": Instant(v.stored.creado_en),
        "metadata" (of Intento::FIELD_TABLE): v.stored.intento.metadata.as_deref().map(raw),
    }
}

view! {
    EventView<'a> { event: &'a Event } = "Evento", "Algo que le ha pasado al lead.", |v| {
        "tipo": v.event.kind,
        "simulado" ("true si no salió nada porque no hay destino configurado."): v.event.simulated,
        "ok" ("Si fue bien."): v.event.ok,
        "detalle" ("Más palabras, sin datos personales."): &v.event.detail,
        "creadoEn": Instant(v.event.creado_en),
    }
}

view! {
    EventsPage<'a> { events: &'a [ListedEvent], next: Option<String> }
    = "PaginaDeEventos", "Una página, del más antiguo al más nuevo.", |v| {
        "eventos": v.events.iter().map(|e| EventView { event: &e.event }).collect::<Vec<_>>(),
        "siguiente" ("El cursor de la página siguiente; null si no hay más."): &v.next,
    }
}

view! {
    ConsentimientoView<'a> { given: &'a Consentimiento }
    = "ConsentimientoGuardado", "Un consentimiento guardado.", |v| {
        "finalidad" (of consentimiento::FIELD_TABLE): &v.given.purpose,
        "canal" (of consentimiento::FIELD_TABLE): &v.given.channel,
        "textoVersion" (of consentimiento::FIELD_TABLE): &v.given.texto_version,
        "fuente" (of consentimiento::FIELD_TABLE): &v.given.source,
        "otorgado" (of consentimiento::FIELD_TABLE): v.given.granted,
        "otorgadoEn" (of consentimiento::FIELD_TABLE): v.given.otorgado_en.map(Instant),
    }
}

view! {
    PresupuestoView<'a> { lead: LeadId, presupuesto: &'a PresupuestoSummary, app: &'a App }
    = "Presupuesto", "Un presupuesto del lead.", |v| {
        "numero" (as number()): v.presupuesto.number,
        "version" (as with(integer(1), "Cuántos presupuestos ha tenido el lead con este.")): v.presupuesto.version,
        "estado" ("`emitido` quiere decir dibujado y en manos de sus entregas; si llegó, lo dicen ellas."):
            v.presupuesto.state,
        "totalCents" ("Con impuestos, en céntimos."): v.presupuesto.total,
        "emitido" ("El día de su fecha."): Day(v.presupuesto.validity.issued),
        "validoHasta" ("El último día en que vale."): Day(v.presupuesto.validity.until),
        "href" ("Su PDF; null mientras se dibuja."): v.pdf(),
        "pagina" ("Su página para el cliente, donde lo ve, lo acepta o lo rechaza; absoluta si el servidor conoce su dirección."):
            v.page(),
        "sha256" ("SHA-256 del PDF; null mientras se dibuja."): v.presupuesto.pdf.as_ref().map(sha256),
        "creadoEn": Instant(v.presupuesto.creado_en),
        "emitidoEn" ("Cuándo quedó dibujado y en manos de sus entregas; null si aún no."):
            v.presupuesto.emitido_en.map(Instant),
        "entregas" ("Cómo va su camino hasta el cliente: una por canal; ninguna mientras se dibuja."):
            v.presupuesto.deliveries.iter().map(|delivery| DeliveryView { delivery }).collect::<Vec<_>>(),
        "aceptacion" ("Lo que el cliente aceptó; null si no lo ha aceptado."):
            v.presupuesto.accepted.as_ref().map(|taken| AcceptanceView { taken }),
    }
}

view! {
    AcceptanceView<'a> { taken: &'a Acceptance }
    = "Aceptacion", "Lo que el cliente aceptó de un presupuesto.", |v| {
        "totalCents" ("Con impuestos y con las opciones elegidas, en céntimos."): v.taken.total,
        "opciones" ("Las opciones que marcó."): v.taken.options.iter().map(|o| NonEmpty(&o.concepto)).collect::<Vec<_>>(),
        "declaracion" ("true si hizo la declaración que pide el tipo reducido."): v.taken.declared,
        "inicioAnticipado" ("true si pidió que la obra empiece dentro del plazo de desistimiento."): v.taken.early_start,
        "porTelefono" ("true si lo dijo por teléfono y lo apuntó alguien de la empresa."): v.taken.by_phone.is_some(),
        "en": Instant(v.taken.at),
    }
}

impl PresupuestoView<'_> {
    fn pdf(&self) -> Option<Href> {
        let number = self.presupuesto.number;
        self.presupuesto.pdf.map(|_| Href(format!("/api/leads/{}/presupuestos/{number}.pdf", self.lead)))
    }

    fn page(&self) -> Href {
        let id = self.presupuesto.id;
        Href(self.app.quotes().page_url(id).unwrap_or_else(|| self.app.quotes().page_path(id)))
    }
}

view! {
    DeliveryView<'a> { delivery: &'a PresupuestoDelivery }
    = "Entrega", "Lo que ha sido de un presupuesto por un canal.", |v| {
        "canal" ("Por correo o con la señal de mensajería."): v.delivery.channel,
        "estado" ("`entregada`: el servidor de correo o el destino la aceptó. `pendiente`: se intenta o se reintentará. `simulada`: no hay \
                 nada configurado y no salió nada. `fallida`: no llegó ni llegará por sí sola. `dudosa`: puede que llegara; decide una persona."):
            v.delivery.state,
        "en" ("Desde cuándo está así."): Instant(v.delivery.at),
    }
}

fn number() -> Value {
    let schema = json!({ "type": "string", "pattern": "^[1-9][0-9]{3}-[0-9]{4,}$" });
    with(schema, "Año y orden, sin huecos.")
}

fn sha256(pdf: &StoredPdf) -> String {
    pdf.sha256.iter().map(|b| format!("{b:02x}")).collect()
}

/// A free object as the text that was sent.
fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).expect("free objects were parsed before they were stored")
}
