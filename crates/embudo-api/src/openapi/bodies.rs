//! Request bodies: each table of fields with the rule across its fields and examples of whole calls.

use embudo_domain::calificacion::Calificacion;
use embudo_domain::conversacion::Turno;
use embudo_domain::ingesta::{self, Ingesta};
use embudo_domain::intento::Intento;
use embudo_domain::lead::{LeadPatch, NewLead};
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::{Body, Field, consentimiento};
use serde_json::{Map, Value, json};

use crate::api::mensajeria::Mensajeria;
use crate::schema::{example, of_body, reference, with};

/// A request body as the document shows it.
pub(super) struct BodyDoc {
    /// Its name among the schemas.
    pub nombre: &'static str,
    pub fields: &'static [Field],
    pub rule: Rule,
    pub description: &'static str,
    /// Whole calls: a name, what it shows, and the body as JSON text.
    pub examples: &'static [(&'static str, &'static str, &'static str)],
}

/// What must hold between the fields, beyond those that are required.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    Nothing,
    /// Not empty. The description says which of the fields count. A schema that says it (`anyOf` of `required`s) would
    /// make generators of clients forget the types of all fields.
    NonEmpty,
}

/// Every request body.
pub(super) const BODIES: &[BodyDoc] = &[
    BodyDoc {
        nombre: "Ingesta",
        fields: Ingesta::FIELD_TABLE,
        rule: Rule::NonEmpty,
        description: "Al menos un elemento en `items`, o una de las dos banderas a `true`. Una bandera a `false` no cuenta: \
            `{\"perfilCompleto\": false}` solo es una llamada vacía y da 422.",
        examples: &[
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
    BodyDoc {
        nombre: "Turno",
        fields: Turno::FIELD_TABLE,
        rule: Rule::Nothing,
        description: "Un turno de la conversación y, si se quiere, el nuevo estado de mensajería y el nuevo paso del bot.",
        examples: &[("minimo", "Lo mínimo", r#"{"rol":"user","mensaje":"Hola, quiero reformar el baño"}"#)],
    },
    BodyDoc {
        nombre: "Perfil",
        fields: PerfilPatch::FIELD_TABLE,
        rule: Rule::NonEmpty,
        description: "Al menos un campo de la tabla; un cuerpo sin ninguno conocido da 422.",
        examples: &[("un-campo", "Un solo campo", r#"{"tipoReforma":"bano"}"#)],
    },
    BodyDoc {
        nombre: "Calificacion",
        fields: Calificacion::FIELD_TABLE,
        rule: Rule::NonEmpty,
        description: "Al menos un campo de la tabla; un cuerpo sin ninguno conocido da 422.",
        examples: &[("nivel-y-score", "Nivel y puntuación", r#"{"score":82,"nivel":"A"}"#)],
    },
    BodyDoc {
        nombre: "Intento",
        fields: Intento::FIELD_TABLE,
        rule: Rule::Nothing,
        description: "Un intento de contacto.",
        examples: &[("minimo", "Lo mínimo", r#"{"canal":"llamada","numeroIntento":1}"#)],
    },
    BodyDoc {
        nombre: "NuevoLead",
        fields: NewLead::FIELD_TABLE,
        rule: Rule::Nothing,
        description: "Nombre, teléfono y correo; lo demás es opcional, y admite todos los campos de perfil.",
        examples: &[(
            "minimo",
            "Lo mínimo",
            r#"{"nombre":"Ana García","telefono":"612 34 56 78","email":"ana@ejemplo.es"}"#,
        )],
    },
    BodyDoc {
        nombre: "Contacto",
        fields: LeadPatch::FIELD_TABLE,
        rule: Rule::NonEmpty,
        description: "Al menos un campo de la tabla; solo se escriben los que se envían.",
        examples: &[
            ("telefono", "Corregir el teléfono", r#"{"telefono":"+34 698 76 54 32"}"#),
            (
                "obra",
                "Lo que decide el impuesto",
                r#"{"esVivienda":true,"contratante":"particular","dosAnos":true}"#,
            ),
        ],
    },
    BodyDoc {
        nombre: "Mensajeria",
        fields: Mensajeria::FIELD_TABLE,
        rule: Rule::Nothing,
        description: "No lleva ningún campo; el cuerpo puede faltar del todo.",
        examples: &[("vacio", "Objeto vacío", "{}")],
    },
];

pub(super) fn find(nombre: &str) -> &'static BodyDoc {
    BODIES.iter().find(|c| c.nombre == nombre).expect("operations name bodies of the table")
}

/// The schemas of all bodies and of the objects inside them.
pub(super) fn schemas() -> Map<String, Value> {
    let mut all: Map<String, Value> =
        BODIES.iter().map(|body| (body.nombre.to_owned(), schema(body))).collect();
    all.insert("Item".into(), item());
    all.insert(
        "ItemFoto".into(),
        with(of_body(ingesta::FOTO_FIELDS), "Una foto. La imagen se guarda y se devuelve tal como llega."),
    );
    all.insert(
        "ItemTexto".into(),
        with(
            of_body(ingesta::TEXT_FIELDS),
            "Una nota. Sin zona queda sin zona; al mostrarla se coloca bajo el tipo de reforma del lead.",
        ),
    );
    all.insert(
        "Consentimiento".into(),
        with(of_body(consentimiento::FIELD_TABLE), "Un consentimiento, otorgado o denegado."),
    );
    all
}

fn item() -> Value {
    json!({
        "description": "Una foto o una nota, según «tipo».",
        "oneOf": [reference("ItemFoto"), reference("ItemTexto")],
        "discriminator": {
            "propertyName": "tipo",
            "mapping": {
                "foto": "#/components/schemas/ItemFoto",
                "texto": "#/components/schemas/ItemTexto",
            },
        },
    })
}

fn schema(body: &BodyDoc) -> Value {
    let mut schema = with(of_body(body.fields), body.description);
    if let Rule::NonEmpty = body.rule {
        schema["minProperties"] = json!(1);
    }
    schema
}

/// The examples of a body: one with every field of the table, and the whole calls.
pub(super) fn examples(body: &BodyDoc) -> Map<String, Value> {
    let mut all = Map::new();
    for (nombre, summary, text) in body.examples {
        let value: Value = serde_json::from_str(text).expect("the examples are JSON");
        all.insert((*nombre).to_owned(), json!({ "summary": summary, "value": value }));
    }
    if !body.fields.is_empty() {
        let complete = json!({ "summary": "Con todos los campos", "value": complete(body.fields) });
        all.insert("completo".to_owned(), complete);
    }
    all
}

/// Every field with its example. `tenantId` is left out: the company of an example exists nowhere.
pub(super) fn complete(fields: &[Field]) -> Map<String, Value> {
    let own = fields.iter().filter(|c| c.nombre != "tenantId");
    own.map(|c| (c.nombre.to_owned(), example(c))).collect()
}
