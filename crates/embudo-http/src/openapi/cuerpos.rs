//! Request bodies: each table of fields with the rule across its fields and examples of whole calls.

use embudo_domain::calificacion::Calificacion;
use embudo_domain::conversacion::Turno;
use embudo_domain::ingesta::{self, Ingesta};
use embudo_domain::intento::Intento;
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::{Campo, Cuerpo, consentimiento};
use serde_json::{Map, Value, json};

use crate::api::mensajeria::Mensajeria;
use crate::schema::{con, de_cuerpo, ejemplo, referencia};

/// A request body as the document shows it.
pub(super) struct CuerpoDoc {
    /// Its name among the schemas.
    pub nombre: &'static str,
    pub campos: &'static [Campo],
    pub regla: Regla,
    pub descripcion: &'static str,
    /// Whole calls: a name, what it shows, and the body as JSON text.
    pub ejemplos: &'static [(&'static str, &'static str, &'static str)],
}

/// What must hold between the fields, beyond those that are required.
#[derive(Clone, Copy)]
pub(super) enum Regla {
    Ninguna,
    /// Not empty. Which of the fields count, the description says: a schema that said it (`anyOf` of `required`s) would make
    /// generators of clients forget the types of all fields.
    NoVacio,
}

/// Every request body.
pub(super) const CUERPOS: &[CuerpoDoc] = &[
    CuerpoDoc {
        nombre: "Ingesta",
        campos: Ingesta::CAMPOS,
        regla: Regla::NoVacio,
        descripcion: "Al menos un elemento en `items`, o una de las dos banderas a `true`. Una bandera a `false` no cuenta: \
            `{\"perfilCompleto\": false}` solo es una llamada vacía y da 422.",
        ejemplos: &[
            (
                "solo-texto",
                "Solo una nota",
                r#"{"items":[{"tipo":"texto","texto":"Quiero isla central","zona":"cocina"}]}"#,
            ),
            (
                "solo-foto",
                "Solo una foto de antes",
                r#"{"items":[{"tipo":"foto","imagen":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==","zona":"bano"}]}"#,
            ),
            (
                "foto-y-texto",
                "Foto y nota en una llamada",
                r#"{"items":[{"tipo":"foto","imagen":"https://ejemplo.es/cocina.jpg","zona":"cocina"},{"tipo":"texto","texto":"La encimera está rota"}]}"#,
            ),
            ("perfil-completo", "Solo avisar de que el perfil está completo", r#"{"perfilCompleto":true}"#),
            (
                "renders-y-finalizar",
                "Renders de después y cierre",
                r#"{"items":[{"tipo":"foto","imagen":"https://ejemplo.es/render-1.jpg","zona":"cocina","momento":"despues"}],"finalizar":true}"#,
            ),
        ],
    },
    CuerpoDoc {
        nombre: "Turno",
        campos: Turno::CAMPOS,
        regla: Regla::Ninguna,
        descripcion: "Un turno de la conversación y, si se quiere, el nuevo estado de mensajería y el nuevo paso del bot.",
        ejemplos: &[("minimo", "Lo mínimo", r#"{"rol":"user","mensaje":"Hola, quiero reformar el baño"}"#)],
    },
    CuerpoDoc {
        nombre: "Perfil",
        campos: PerfilPatch::CAMPOS,
        regla: Regla::NoVacio,
        descripcion: "Al menos un campo de la tabla; un cuerpo sin ninguno conocido da 422.",
        ejemplos: &[("un-campo", "Un solo campo", r#"{"tipoReforma":"bano"}"#)],
    },
    CuerpoDoc {
        nombre: "Calificacion",
        campos: Calificacion::CAMPOS,
        regla: Regla::NoVacio,
        descripcion: "Al menos un campo de la tabla; un cuerpo sin ninguno conocido da 422.",
        ejemplos: &[("nivel-y-score", "Nivel y puntuación", r#"{"score":82,"nivel":"A"}"#)],
    },
    CuerpoDoc {
        nombre: "Intento",
        campos: Intento::CAMPOS,
        regla: Regla::Ninguna,
        descripcion: "Un intento de contacto.",
        ejemplos: &[("minimo", "Lo mínimo", r#"{"canal":"llamada","numeroIntento":1}"#)],
    },
    CuerpoDoc {
        nombre: "NuevoLead",
        campos: NuevoLead::CAMPOS,
        regla: Regla::Ninguna,
        descripcion: "Nombre, teléfono y correo; lo demás es opcional, y admite todos los campos de perfil.",
        ejemplos: &[(
            "minimo",
            "Lo mínimo",
            r#"{"nombre":"Ana García","telefono":"612 34 56 78","email":"ana@ejemplo.es"}"#,
        )],
    },
    CuerpoDoc {
        nombre: "Contacto",
        campos: ContactoPatch::CAMPOS,
        regla: Regla::NoVacio,
        descripcion: "Al menos un campo de la tabla; solo se escriben los que se envían.",
        ejemplos: &[("telefono", "Corregir el teléfono", r#"{"telefono":"+34 698 76 54 32"}"#)],
    },
    CuerpoDoc {
        nombre: "Mensajeria",
        campos: Mensajeria::CAMPOS,
        regla: Regla::Ninguna,
        descripcion: "No lleva ningún campo; el cuerpo puede faltar del todo.",
        ejemplos: &[("vacio", "Objeto vacío", "{}")],
    },
];

/// The body of this name.
pub(super) fn buscar(nombre: &str) -> &'static CuerpoDoc {
    CUERPOS.iter().find(|c| c.nombre == nombre).expect("operations name bodies of the table")
}

/// The schemas of all bodies and of what stands inside them.
pub(super) fn esquemas() -> Map<String, Value> {
    let mut todos: Map<String, Value> =
        CUERPOS.iter().map(|cuerpo| (cuerpo.nombre.to_owned(), esquema(cuerpo))).collect();
    todos.insert("Item".into(), item());
    todos.insert(
        "ItemFoto".into(),
        con(de_cuerpo(ingesta::CAMPOS_FOTO), "Una foto. La imagen se guarda y se devuelve tal como llega."),
    );
    todos.insert(
        "ItemTexto".into(),
        con(
            de_cuerpo(ingesta::CAMPOS_TEXTO),
            "Una nota. Sin zona queda sin zona; al mostrarla se coloca bajo el tipo de reforma del lead.",
        ),
    );
    todos.insert(
        "Consentimiento".into(),
        con(de_cuerpo(consentimiento::CAMPOS), "Un consentimiento, otorgado o denegado."),
    );
    todos
}

fn item() -> Value {
    json!({
        "description": "Una foto o una nota, según «tipo».",
        "oneOf": [referencia("ItemFoto"), referencia("ItemTexto")],
        "discriminator": {
            "propertyName": "tipo",
            "mapping": {
                "foto": "#/components/schemas/ItemFoto",
                "texto": "#/components/schemas/ItemTexto",
            },
        },
    })
}

fn esquema(cuerpo: &CuerpoDoc) -> Value {
    let mut esquema = con(de_cuerpo(cuerpo.campos), cuerpo.descripcion);
    if let Regla::NoVacio = cuerpo.regla {
        esquema["minProperties"] = json!(1);
    }
    esquema
}

/// The examples of a body: one with every field of the table, and the whole calls.
pub(super) fn ejemplos(cuerpo: &CuerpoDoc) -> Map<String, Value> {
    let mut todos = Map::new();
    for (nombre, resumen, texto) in cuerpo.ejemplos {
        let valor: Value = serde_json::from_str(texto).expect("the examples are JSON");
        todos.insert((*nombre).to_owned(), json!({ "summary": resumen, "value": valor }));
    }
    if !cuerpo.campos.is_empty() {
        let completo = json!({ "summary": "Con todos los campos", "value": completo(cuerpo.campos) });
        todos.insert("completo".to_owned(), completo);
    }
    todos
}

/// Every field with its example. `tenantId` is left out: the company of an example exists nowhere.
pub(super) fn completo(campos: &[Campo]) -> Map<String, Value> {
    let suyos = campos.iter().filter(|c| c.nombre != "tenantId");
    suyos.map(|c| (c.nombre.to_owned(), ejemplo(c))).collect()
}
