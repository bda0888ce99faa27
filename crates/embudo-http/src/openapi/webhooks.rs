//! The three signals, as the document's `webhooks`: what a receiver gets, under which headers, and what its answer means.
//!
//! The bodies are written by `embudo_delivery::senales`; the tests hold what was really sent against what is said here.

use embudo_domain::lead::NuevoLead;
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::{Cuerpo, Tipo, Zona};
use serde_json::{Map, Value, json};

use crate::schema::{cerrado, con, de_tipo, id, lista, read_back, referencia, texto};

/// The group of operations that they stand in.
pub(super) const ETIQUETA: &str = "Señales";

/// One signal.
pub(super) struct Senal {
    /// Its name among the webhooks.
    nombre: &'static str,
    pub id: &'static str,
    /// The setting that says where it goes.
    pub variable: &'static str,
    resumen: &'static str,
    descripcion: &'static str,
    /// The name of its body's schema, and an example.
    cuerpo: (&'static str, &'static str),
}

/// Every signal, in reading order.
pub(super) const SENALES: &[Senal] = &[
    Senal {
        nombre: "perfilCompleto",
        id: "senalPerfil",
        variable: "PERFIL_WEBHOOK_URL",
        resumen: "Perfil completo",
        descripcion: "La dispara `perfilCompleto: true` en la ingesta. El flujo que la recibe hace los renders y los devuelve con la \
            ingesta, como fotos con `momento: despues`, y cierra con `finalizar: true`; puede hacerlo antes de contestar.\n\n\
            - Lo que el lead no tiene es `null`; en `zonas` solo están las que tienen algo.\n\
            - Cada foto va tal como se recibió. Si el servidor conoce su dirección (`PUBLIC_URL`), una que llegó como data URI va como enlace firmado, que vale 7 días.\n\
            - Una señal más nueva del mismo lead sustituye a la que aún espera un reintento.",
        cuerpo: ("SenalPerfil", include_str!("ejemplos/senal-perfil.json")),
    },
    Senal {
        nombre: "entregaPdf",
        id: "senalPdf",
        variable: "MESSAGING_WEBHOOK_URL",
        resumen: "Entrega del presupuesto",
        descripcion: "La dispara `finalizar: true` en la ingesta, cuando el PDF está hecho y guardado: el flujo lo envía al cliente por \
            mensajería. El PDF va entero en `pdfBase64`, byte a byte el que devuelve la API; pesa 8 MB como mucho si hacer más pequeñas las fotos basta para lograrlo.",
        cuerpo: ("SenalPdf", include_str!("ejemplos/senal-pdf.json")),
    },
    Senal {
        nombre: "inicioConversacion",
        id: "senalMensajeria",
        variable: "MESSAGING_START_WEBHOOK_URL",
        resumen: "Inicio de conversación",
        descripcion: "El lead ha elegido seguir por mensajería, en el formulario o con una llamada a `/api/leads/{id}/mensajeria`: el \
            flujo le escribe. Cada elección es una señal.",
        cuerpo: ("SenalMensajeria", include_str!("ejemplos/senal-mensajeria.json")),
    },
];

/// The document's `webhooks`.
pub(super) fn webhooks() -> Map<String, Value> {
    SENALES.iter().map(|s| (s.nombre.to_owned(), json!({ "post": s.describir() }))).collect()
}

impl Senal {
    fn describir(&self) -> Value {
        let (esquema, ejemplo) = self.cuerpo;
        let ejemplo: Value = serde_json::from_str(ejemplo).expect("the examples are JSON");
        let cabeceras = ["webhook-id", "webhook-timestamp", "webhook-signature", "user-agent"];
        json!({
            "operationId": self.id,
            "tags": [ETIQUETA],
            "summary": self.resumen,
            "description": self.descripcion,
            "x-variable": self.variable,
            "security": [],
            "parameters": cabeceras.map(|n| json!({ "$ref": format!("#/components/parameters/{n}") })),
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": referencia(esquema), "example": ejemplo } },
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
pub(super) fn cabeceras() -> Map<String, Value> {
    let cabecera = |nombre: &str, requerida: bool, doc: &str, esquema: Value, ejemplo: &str| {
        let todo = json!({
            "name": nombre, "in": "header", "required": requerida, "description": doc, "schema": esquema, "example": ejemplo,
        });
        (nombre.to_owned(), todo)
    };
    let firma = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=";
    [
        cabecera(
            "webhook-id",
            true,
            "La misma en todos los intentos de una señal: sirve para no atenderla dos veces.",
            id(),
            "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b",
        ),
        cabecera(
            "webhook-timestamp",
            true,
            "Cuándo se envía este intento, en segundos desde 1970.",
            json!({ "type": "string", "pattern": "^[0-9]+$" }),
            "1794650400",
        ),
        cabecera(
            "webhook-signature",
            false,
            "Las firmas de Standard Webhooks, separadas por espacios; solo si hay `WEBHOOK_SECRET`.",
            json!({ "type": "string", "pattern": "^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$" }),
            firma,
        ),
        cabecera(
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
pub(super) fn esquemas() -> Map<String, Value> {
    let todos = [
        ("SenalPerfil", perfil(), "Lo que se sabe del lead cuando su perfil está completo."),
        ("SenalCliente", cliente(), "La persona."),
        ("SenalReforma", reforma(), "Lo que quiere reformar; lo que no se sabe es null."),
        ("SenalZona", zona(), "Las notas y fotos de una zona."),
        ("SenalFotos", fotos(), "Las fotos de una zona, por orden."),
        ("SenalPdf", pdf(), "Un presupuesto, con su PDF."),
        ("SenalMensajeria", cerrado(destinatario()), "Con quién hay que empezar una conversación."),
    ];
    todos.into_iter().map(|(nombre, esquema, doc)| (nombre.to_owned(), con(esquema, doc))).collect()
}

fn perfil() -> Value {
    cerrado(vec![
        ("leadId", con(id(), "El lead.")),
        ("cliente", referencia("SenalCliente")),
        ("reforma", referencia("SenalReforma")),
        ("empresa", referencia("Empresa")),
        ("zonas", con(lista(&referencia("SenalZona")), "Solo las que tienen algo.")),
    ])
}

fn cliente() -> Value {
    cerrado(vec![
        ("nombre", texto("Su nombre.")),
        ("telefono", telefono()),
        ("email", texto("Su correo, tal como se escribió.")),
        ("provincia", read_back(NuevoLead::CAMPOS, "provincia", true)),
    ])
}

/// The profile's own fields, three of them under shorter names.
fn reforma() -> Value {
    let del_perfil =
        |nombre: &'static str, en_perfil: &str| (nombre, read_back(PerfilPatch::CAMPOS, en_perfil, true));
    cerrado(vec![
        del_perfil("tipo", "tipoReforma"),
        del_perfil("m2Suelo", "m2Suelo"),
        del_perfil("calidad", "calidadGlobal"),
        del_perfil("estructural", "estructural"),
        del_perfil("urgencia", "urgencia"),
        del_perfil("presupuestoTarget", "presupuestoTarget"),
    ])
}

fn zona() -> Value {
    cerrado(vec![
        ("zona", de_tipo(Tipo::Uno(Zona::PALABRAS))),
        ("notas", con(lista(&json!({ "type": "string" })), "Según llegaron.")),
        ("fotos", referencia("SenalFotos")),
    ])
}

fn fotos() -> Value {
    let imagenes = lista(&de_tipo(Tipo::Imagen));
    cerrado(vec![("antes", imagenes.clone()), ("despues", con(imagenes, "Renders."))])
}

fn pdf() -> Value {
    let mut campos = destinatario();
    let base64 =
        json!({ "type": "string", "contentEncoding": "base64", "contentMediaType": "application/pdf" });
    campos.push(("pdfBase64", con(base64, "El PDF, en base64 con su relleno.")));
    let filename = json!({ "type": "string", "pattern": "^presupuesto-[1-9][0-9]{3}-[0-9]{4,}\\.pdf$" });
    campos.push(("filename", con(filename, "El nombre del fichero.")));
    cerrado(campos)
}

/// Whom a messaging signal is about.
fn destinatario() -> Vec<(&'static str, Value)> {
    vec![
        ("leadId", con(id(), "El lead.")),
        ("telefono", telefono()),
        ("nombre", texto("El nombre del cliente.")),
        ("empresa", texto("El nombre de la empresa.")),
    ]
}

fn telefono() -> Value {
    json!({ "type": "string", "pattern": r"^\+[0-9]+$", "description": "En E.164: con el prefijo de su país." })
}
