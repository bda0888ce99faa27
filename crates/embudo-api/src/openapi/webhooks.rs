//! The signals, as the document's `webhooks`: what a receiver gets, under which headers, and what its answer means.
//!
//! The bodies are written by `embudo_delivery::signals`; the tests compare what was really sent with what is said here.

use embudo_domain::lead::NewLead;
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::signal::EventTopic;
use embudo_domain::{Body, Kind, Zona};
use serde_json::{Map, Value, json};

use crate::schema::{closed, id, instant, integer, list, of_kind, read_back, reference, text, with};

/// The group of operations that lists the signals.
pub(super) const LABEL: &str = "Señales";

pub(super) struct Signal {
    /// Its name among the webhooks.
    nombre: &'static str,
    pub id: &'static str,
    /// The setting that says where it goes.
    pub variable: &'static str,
    summary: &'static str,
    description: &'static str,
    /// The name of its body's schema, and an example.
    body: (&'static str, &'static str),
}

/// Every signal, in reading order.
pub(super) const SIGNALS: &[Signal] = &[
    Signal {
        nombre: "perfilCompleto",
        id: "senalPerfil",
        variable: "PERFIL_WEBHOOK_URL",
        summary: "Perfil completo",
        description: "La dispara `perfilCompleto: true` en la ingesta. El flujo que la recibe hace los renders y los devuelve con la \
            ingesta, como fotos con `momento: despues`, y cierra con `finalizar: true`; puede hacerlo antes de contestar.\n\n\
            - Lo que el lead no tiene es `null`; en `zonas` solo están las que tienen algo.\n\
            - Cada foto va tal como se recibió. Si el servidor conoce su dirección (`PUBLIC_URL`), una que llegó como data URI va como enlace firmado, que vale 7 días.\n\
            - Una señal más nueva del mismo lead sustituye a la que aún espera un reintento.",
        body: ("SenalPerfil", include_str!("ejemplos/senal-perfil.json")),
    },
    Signal {
        nombre: "entregaPdf",
        id: "senalPdf",
        variable: "MESSAGING_WEBHOOK_URL",
        summary: "Entrega del presupuesto",
        description: "La dispara `finalizar: true` en la ingesta, cuando el PDF está hecho y guardado: el flujo lo envía al cliente por \
            mensajería. El PDF va entero en `pdfBase64`, byte a byte el que devuelve la API; pesa 8 MB como mucho si hacer más pequeñas las fotos basta para lograrlo.",
        body: ("SenalPdf", include_str!("ejemplos/senal-pdf.json")),
    },
    Signal {
        nombre: "inicioConversacion",
        id: "senalMensajeria",
        variable: "MESSAGING_START_WEBHOOK_URL",
        summary: "Inicio de conversación",
        description: "El lead ha elegido seguir por mensajería, en el formulario o con una llamada a `/api/leads/{id}/mensajeria`: el \
            flujo le escribe. Cada elección es una señal.",
        body: ("SenalMensajeria", include_str!("ejemplos/senal-mensajeria.json")),
    },
    Signal {
        nombre: "respuestaAMano",
        id: "senalRespuesta",
        variable: "MESSAGING_REPLY_WEBHOOK_URL",
        summary: "Respuesta de una persona",
        description: "Una persona ha contestado al cliente desde el panel: el flujo le envía `texto` por mensajería y lo graba con \
            `POST /api/leads/{id}/conversacion` (`rol: assistant`) y `mensajeId` como `Idempotency-Key`. Ese turno confirma la respuesta; si no \
            llega en 10 minutos, el panel lo dice.\n\n\
            - Caduca en `caduca`, cuando se cierra la ventana de 24 horas desde el último mensaje del cliente: a partir de ahí no se \
            repite más, y el flujo tampoco debe enviarla.\n\
            - Desde entonces la ficha dice en `atendidoPor` quién atiende.",
        body: ("SenalRespuesta", include_str!("ejemplos/senal-respuesta.json")),
    },
    Signal {
        nombre: "evento",
        id: "senalEvento",
        variable: "EVENTS_WEBHOOK_URL",
        summary: "Evento",
        description: "Algo ha pasado con un lead. Solo lleva identificadores, horas e importes; lo demás está en la ficha \
            (`GET /api/leads/{id}`).\n\n\
            - `lead.creado`: un lead nuevo, de la API, del formulario o del panel. `llamada.pedida`: el cliente prefiere que le llamen. `datos` va vacío.\n\
            - `presupuesto.enviado`, `presupuesto.aceptado`, `presupuesto.rechazado`: `numero` y `totalCents`; en uno aceptado, con las opciones elegidas. Enviar otra vez el mismo presupuesto no es otro evento.\n\
            - `visita.acordada`, `visita.movida`, `visita.hecha`: `visitaId`, `inicio` y `minutos`.\n\
            - Cada evento es una señal, y pueden llegar en otro orden: manda `creadoEn`.",
        body: ("SenalEvento", include_str!("ejemplos/senal-evento.json")),
    },
];

/// The document's `webhooks`.
pub(super) fn webhooks() -> Map<String, Value> {
    SIGNALS.iter().map(|s| (s.nombre.to_owned(), json!({ "post": s.describe() }))).collect()
}

impl Signal {
    fn describe(&self) -> Value {
        let (schema, example) = self.body;
        let example: Value = serde_json::from_str(example).expect("the examples are JSON");
        let headers = ["webhook-id", "webhook-timestamp", "webhook-signature", "user-agent"];
        json!({
            "operationId": self.id,
            "tags": [LABEL],
            "summary": self.summary,
            "description": self.description,
            "x-variable": self.variable,
            "security": [],
            "parameters": headers.map(|n| json!({ "$ref": format!("#/components/parameters/{n}") })),
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": reference(schema), "example": example } },
            },
            "responses": {
                "2XX": { "description": "Recibida: no se envía más." },
                "410": { "description": "No se quiere: no se repite nunca." },
                "default": {
                    "description": "Cualquier otra respuesta, una redirección o el silencio es un fallo: se repite durante días con el \
                        mismo `webhook-id`, no antes de lo que diga `Retry-After`.",
                },
            },
        })
    }
}

/// The headers of every signal, as parameters that the operations share.
pub(super) fn headers() -> Map<String, Value> {
    let header = |nombre: &str, required: bool, doc: &str, schema: Value, example: &str| {
        let all = json!({
            "name": nombre, "in": "header", "required": required, "description": doc, "schema": schema, "example": example,
        });
        (nombre.to_owned(), all)
    };
    let signature = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=";
    [
        header(
            "webhook-id",
            true,
            "La misma en todos los intentos de una señal: sirve para no atenderla dos veces.",
            id(),
            "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b",
        ),
        header(
            "webhook-timestamp",
            true,
            "Cuándo se envía este intento, en segundos desde 1970.",
            json!({ "type": "string", "pattern": "^[0-9]+$" }),
            "1794650400",
        ),
        header(
            "webhook-signature",
            false,
            "Las firmas de Standard Webhooks, separadas por espacios; solo si hay `WEBHOOK_SECRET`.",
            json!({ "type": "string", "pattern": "^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$" }),
            signature,
        ),
        header(
            "user-agent",
            true,
            "El programa y su versión.",
            json!({ "type": "string", "pattern": "^embudo/" }),
            concat!("embudo/", env!("CARGO_PKG_VERSION")),
        ),
    ]
    .into_iter()
    .collect()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Map<String, Value> {
    let all = [
        ("SenalPerfil", perfil(), "Lo que se sabe del lead cuando su perfil está completo."),
        ("SenalCliente", cliente(), "La persona."),
        ("SenalReforma", reforma(), "Lo que quiere reformar; lo que no se sabe es null."),
        ("SenalZona", zona(), "Las notas y fotos de una zona."),
        ("SenalFotos", fotos(), "Las fotos de una zona, por orden."),
        ("SenalPdf", pdf(), "Un presupuesto, con su PDF."),
        ("SenalMensajeria", closed(recipient()), "Con quién hay que empezar una conversación."),
        ("SenalRespuesta", reply(), "Lo que una persona contesta al cliente."),
        ("SenalEvento", event(), "Algo que ha pasado con un lead."),
        ("SenalEventoDatos", event_data(), "Lo que el evento añade; según su tipo, está o no está."),
    ];
    all.into_iter().map(|(nombre, schema, doc)| (nombre.to_owned(), with(schema, doc))).collect()
}

fn perfil() -> Value {
    closed(vec![
        ("leadId", with(id(), "El lead.")),
        ("cliente", reference("SenalCliente")),
        ("reforma", reference("SenalReforma")),
        ("empresa", reference("Empresa")),
        ("zonas", with(list(&reference("SenalZona")), "Solo las que tienen algo.")),
    ])
}

fn cliente() -> Value {
    closed(vec![
        ("nombre", text("Su nombre.")),
        ("telefono", or_null(telefono())),
        ("email", or_null(text("Su correo, tal como se escribió; null si no hay."))),
        ("provincia", read_back(NewLead::FIELD_TABLE, "provincia", true)),
    ])
}

/// The profile's own fields, three of them under shorter names.
fn reforma() -> Value {
    let of_perfil = |nombre: &'static str, in_perfil: &str| {
        (nombre, read_back(PerfilPatch::FIELD_TABLE, in_perfil, true))
    };
    closed(vec![
        of_perfil("tipo", "tipoReforma"),
        of_perfil("m2Suelo", "m2Suelo"),
        of_perfil("calidad", "calidadGlobal"),
        of_perfil("estructural", "estructural"),
        of_perfil("urgencia", "urgencia"),
        of_perfil("presupuestoTarget", "presupuestoTarget"),
    ])
}

fn zona() -> Value {
    closed(vec![
        ("zona", of_kind(Kind::One(Zona::WORDS))),
        ("notas", with(list(&json!({ "type": "string" })), "Según llegaron.")),
        ("fotos", reference("SenalFotos")),
    ])
}

fn fotos() -> Value {
    let images = list(&of_kind(Kind::Image));
    closed(vec![("antes", images.clone()), ("despues", with(images, "Renders."))])
}

fn pdf() -> Value {
    let mut fields = recipient();
    let base64 =
        json!({ "type": "string", "contentEncoding": "base64", "contentMediaType": "application/pdf" });
    fields.push(("pdfBase64", with(base64, "El PDF, en base64 con su relleno.")));
    let filename = json!({ "type": "string", "pattern": "^presupuesto-[1-9][0-9]{3}-[0-9]{4,}\\.pdf$" });
    fields.push(("filename", with(filename, "El nombre del fichero.")));
    closed(fields)
}

fn reply() -> Value {
    let mut fields =
        vec![("mensajeId", with(id(), "La respuesta; también su `webhook-id` y la clave con que se graba."))];
    fields.extend(recipient());
    fields.push((
        "texto",
        with(json!({ "type": "string", "minLength": 1, "maxLength": 4000 }), "Lo que hay que enviar."),
    ));
    fields.push(("autor", text("Quién lo escribió.")));
    let until = json!({ "type": "string", "format": "date-time" });
    fields.push(("caduca", with(until, "Hasta cuándo se puede enviar, en UTC.")));
    closed(fields)
}

fn event() -> Value {
    closed(vec![
        ("id", with(id(), "El evento; también su `webhook-id`, salvo que una persona lo envíe otra vez.")),
        ("tipo", with(of_kind(Kind::One(EventTopic::WORDS)), "Lo que ha pasado.")),
        ("creadoEn", with(instant(), "Cuándo.")),
        ("tenant", with(id(), "La empresa.")),
        ("leadId", with(id(), "El lead.")),
        ("datos", reference("SenalEventoDatos")),
    ])
}

/// No field is required: the event decides which fields are present.
fn event_data() -> Value {
    let fields = [
        ("numero", text("El número del presupuesto.")),
        ("totalCents", with(integer(0), "Con impuestos, en céntimos.")),
        ("visitaId", with(id(), "La visita.")),
        ("inicio", with(instant(), "Cuándo empieza la visita.")),
        ("minutos", with(integer(1), "Cuánto dura.")),
    ];
    let names = fields.iter().map(|(nombre, _)| json!(nombre)).collect::<Vec<_>>();
    let properties: Map<String, Value> =
        fields.into_iter().map(|(nombre, schema)| (nombre.to_owned(), schema)).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false, "x-orden": names })
}

/// The fields that say which lead a messaging signal is about.
fn recipient() -> Vec<(&'static str, Value)> {
    vec![
        ("leadId", with(id(), "El lead.")),
        ("telefono", telefono()),
        ("nombre", text("El nombre del cliente.")),
        ("empresa", text("El nombre de la empresa.")),
    ]
}

fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!(["string", "null"]);
    schema
}

fn telefono() -> Value {
    json!({ "type": "string", "pattern": r"^\+[0-9]+$", "description": "En E.164: con el prefijo de su país." })
}
