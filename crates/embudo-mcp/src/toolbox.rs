//! The table of tools. The OpenAPI document says what each tool takes and which request it makes.

use http::Method;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::api::ApiCall;

/// What a tool does to the records. A client may ask its user before it calls a tool with some of these effects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// Adds a record; existing data stays.
    Adds,
    /// Overwrites existing data.
    Changes,
    /// May reach the client or an outside workflow.
    Sends,
}

use Effect::{Adds, Changes, Reads, Sends};

/// Every tool: the `operationId` of its operation, which is its name, and its effect.
const TOOLS: &[(&str, Effect)] = &[
    ("verPendiente", Reads),
    ("listarLeads", Reads),
    ("verLead", Reads),
    ("conversacion", Adds),
    ("perfil", Changes),
    ("calificacion", Changes),
    ("intento", Adds),
    ("ingesta", Sends),
    ("listarPresupuestos", Reads),
    ("verVisita", Reads),
];

/// The names of the tools, in their order.
pub const NAMES: [&str; TOOLS.len()] = {
    let mut names = [""; TOOLS.len()];
    let mut n = 0;
    while n < TOOLS.len() {
        names[n] = TOOLS[n].0;
        n += 1;
    }
    names
};

/// The header of the API that a tool takes as an argument, and the name of the argument.
const KEY_HEADER: &str = "Idempotency-Key";
const KEY_ARGUMENT: &str = "idempotencyKey";

/// Keys of schemas that are meant for readers of the document, not for tools.
const NOT_FOR_TOOLS: [&str; 2] = ["x-orden", "discriminator"];

/// The tools, ready to be listed and called.
#[derive(Debug)]
pub struct Toolbox {
    routes: Vec<Route>,
}

/// A tool, and the request that it makes.
#[derive(Debug)]
struct Route {
    tool: Tool,
    method: Method,
    /// The path, with a placeholder such as `{id}` for each argument.
    path: String,
    in_path: Vec<String>,
    in_query: Vec<String>,
    has_key: bool,
    has_body: bool,
}

impl Toolbox {
    /// Makes the tools of an OpenAPI document.
    ///
    /// # Panics
    /// If the document lacks an operation of the table. A test of the API checks that it has all of them.
    pub fn of(document: &Value) -> Self {
        let routes = TOOLS.iter().map(|(name, effect)| {
            let (path, method, operation) = find(document, name).expect("every tool is an operation");
            Route::of(document, (*name, *effect), path, method, operation)
        });
        Self { routes: routes.collect() }
    }

    pub fn tools(&self) -> Vec<Tool> {
        self.routes.iter().map(|route| route.tool.clone()).collect()
    }

    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.route(name).map(|route| &route.tool)
    }

    fn route(&self, name: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.tool.name == name)
    }

    /// The request that a call of a tool makes; `None` for an unknown tool. The error is meant for the model.
    pub fn call(&self, name: &str, arguments: JsonObject) -> Option<Result<ApiCall, String>> {
        self.route(name).map(|route| route.call(arguments))
    }
}

fn find<'a>(document: &'a Value, id: &str) -> Option<(&'a str, &'a str, &'a Value)> {
    let paths = document["paths"].as_object()?.iter();
    let mut all = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, value)| (path, method, value))
    });
    let (path, method, operation) = all.find(|(_, _, operation)| operation["operationId"] == id)?;
    Some((path.as_str(), method.as_str(), operation))
}

impl Route {
    fn of(
        document: &Value,
        (name, effect): (&'static str, Effect),
        path: &str,
        method: &str,
        operation: &Value,
    ) -> Self {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let (mut in_path, mut in_query, mut has_key) = (Vec::new(), Vec::new(), false);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolved(document, parameter);
            let named = parameter["name"].as_str().unwrap_or_default().to_owned();
            let argument = match parameter["in"].as_str() {
                Some("path") => {
                    in_path.push(named.clone());
                    required.push(named.clone());
                    named
                }
                Some("query") => {
                    in_query.push(named.clone());
                    named
                }
                _ if named == KEY_HEADER => {
                    has_key = true;
                    KEY_ARGUMENT.to_owned()
                }
                _ => continue,
            };
            // The document also allows an empty filter (`anyOf`), because forms send those. A tool leaves such a filter
            // out.
            let schema = parameter["schema"]["anyOf"].get(0).unwrap_or(&parameter["schema"]);
            let mut schema = inlined(document, schema);
            schema["description"] = parameter["description"].clone();
            properties.insert(argument, schema);
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let has_body = !body.is_null();
        if has_body {
            let body = inlined(document, body);
            properties.extend(body["properties"].as_object().cloned().unwrap_or_default());
            let fields = body["required"].as_array().into_iter().flatten();
            required.extend(fields.filter_map(Value::as_str).map(str::to_owned));
        }
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let Value::Object(schema) = schema else { unreachable!("it was made as an object") };
        let (title, words) = (text(&operation["summary"]), text(&operation["description"]));
        let mut tool = Tool::new(name, format!("{title}. {words}"), schema);
        tool.title = Some(title.clone());
        tool.annotations = Some(effect.annotations(title));
        let method =
            Method::from_bytes(method.to_uppercase().as_bytes()).expect("the document names methods");
        Self { tool, method, path: path.to_owned(), in_path, in_query, has_key, has_body }
    }

    fn call(&self, mut arguments: JsonObject) -> Result<ApiCall, String> {
        let mut path_and_query = self.path.clone();
        for name in &self.in_path {
            let value = arguments.remove(name).unwrap_or_default();
            // Any other text cannot be an id, and must not change the path.
            let is_id = |text: &&str| {
                !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            let id =
                value.as_str().filter(is_id).ok_or_else(|| format!("«{name}» debe ser un identificador."))?;
            path_and_query = path_and_query.replace(&format!("{{{name}}}"), id);
        }
        let mut mark = '?';
        for name in &self.in_query {
            let value = match arguments.remove(name) {
                None | Some(Value::Null) => continue,
                Some(Value::String(text)) => text,
                Some(Value::Array(_) | Value::Object(_)) => {
                    return Err(format!("«{name}» debe ser un solo valor."));
                }
                Some(plain) => plain.to_string(),
            };
            path_and_query.push(mark);
            mark = '&';
            path_and_query += name;
            path_and_query.push('=');
            escape(&value, &mut path_and_query);
        }
        let idempotency_key = match arguments.remove(KEY_ARGUMENT).filter(|_| self.has_key) {
            None => None,
            Some(Value::String(text)) => Some(text),
            Some(_) => return Err(format!("«{KEY_ARGUMENT}» debe ser un texto.")),
        };
        // The remaining arguments belong to the body; the API ignores or refuses fields that it does not know.
        let body = self.has_body.then(|| Value::Object(arguments).to_string());
        Ok(ApiCall { method: self.method.clone(), path_and_query, idempotency_key, body })
    }
}

impl Effect {
    fn annotations(self, title: String) -> ToolAnnotations {
        ToolAnnotations::with_title(title)
            .read_only(self == Reads)
            .destructive(matches!(self, Changes | Sends))
            .idempotent(matches!(self, Reads | Changes))
            .open_world(self == Sends)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The value to which a `$ref` of the document refers, or the value itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let named =
        value["$ref"].as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#')));
    named.unwrap_or(value)
}

/// A schema without references, because many clients do not follow them. The schemas of bodies have no cycles.
fn inlined(document: &Value, schema: &Value) -> Value {
    match resolved(document, schema) {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !NOT_FOR_TOOLS.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), inlined(document, value))).collect()
        }
        Value::Array(list) => list.iter().map(|value| inlined(document, value)).collect(),
        plain => plain.clone(),
    }
}

/// A value of a query, escaped byte by byte.
fn escape(text: &str, into: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                into.push(char::from(byte));
            }
            _ => *into += &format!("%{byte:02X}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";

    /// A document with the table's operations: one with a body and a key, one with a query, others with nothing.
    fn toolbox() -> Toolbox {
        let mut paths = Map::new();
        for name in NAMES {
            paths.insert(format!("/api/{name}"), json!({ "get": { "operationId": name, "summary": name } }));
        }
        paths.insert("/api/conversacion".into(), json!({ "get": {} }));
        paths.insert("/api/listarLeads".into(), json!({ "get": {} }));
        let id = json!({ "$ref": "#/components/parameters/id" });
        let key = json!({ "name": KEY_HEADER, "in": "header", "schema": { "type": "string" } });
        let body = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Turno" } } });
        let turn = json!({ "operationId": "conversacion", "parameters": [id, key], "requestBody": { "content": body } });
        paths.insert("/api/leads/{id}/conversacion".into(), json!({ "post": turn }));
        let either = json!({ "anyOf": [{ "type": "string" }, { "const": "" }] });
        let query = json!([{ "name": "texto", "in": "query", "schema": either, "description": "Qué." },
            { "name": "limite", "in": "query", "schema": { "type": "integer" } }]);
        paths.insert(
            "/api/leads".into(),
            json!({ "get": { "operationId": "listarLeads", "parameters": query } }),
        );
        Toolbox::of(&json!({
            "paths": paths,
            "components": {
                "parameters": { "id": { "name": "id", "in": "path", "schema": { "type": "string" } } },
                "schemas": {
                    "Turno": {
                        "x-orden": ["rol"],
                        "properties": { "rol": { "$ref": "#/components/schemas/Rol" } },
                        "required": ["rol"],
                    },
                    "Rol": { "type": "string", "enum": ["user"] },
                },
            },
        }))
    }

    fn call(name: &str, arguments: Value) -> Result<ApiCall, String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        toolbox().call(name, arguments).expect("the tool is known")
    }

    #[test]
    fn a_tools_schema_is_the_operations_without_references() {
        let toolbox = toolbox();
        assert_eq!(toolbox.tools().iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), NAMES);
        let turn = Value::Object((*toolbox.tool("conversacion").expect("known").input_schema).clone());
        assert_eq!(turn["required"], json!(["id", "rol"]));
        assert_eq!(turn["properties"]["rol"], json!({ "type": "string", "enum": ["user"] }));
        assert_eq!(turn["properties"][KEY_ARGUMENT]["type"], "string");
        let list = &toolbox.tool("listarLeads").expect("known").input_schema;
        assert_eq!(list["properties"]["texto"], json!({ "type": "string", "description": "Qué." }));
    }

    #[test]
    fn arguments_go_where_the_operation_has_them() {
        let made = call("conversacion", json!({ "id": ID, "rol": "user", "idempotencyKey": "a b" }));
        let expected = ApiCall {
            method: Method::POST,
            path_and_query: format!("/api/leads/{ID}/conversacion"),
            idempotency_key: Some("a b".into()),
            body: Some(r#"{"rol":"user"}"#.into()),
        };
        assert_eq!(made, Ok(expected));
        let made =
            call("listarLeads", json!({ "texto": "Ñu & +34", "limite": 5, "cursor": null, "otro": 1 }));
        let made = made.expect("it is sound");
        assert_eq!(made.path_and_query, "/api/leads?texto=%C3%91u%20%26%20%2B34&limite=5");
        assert_eq!((made.body, made.idempotency_key), (None, None));
    }

    #[test]
    fn no_argument_becomes_another_path() {
        for id in [
            json!("../../metrics"),
            json!("a/b"),
            json!(""),
            json!(".."),
            json!("%2e"),
            json!(7),
            json!(null),
        ] {
            let refused = call("conversacion", json!({ "id": id, "rol": "user" }));
            assert_eq!(refused, Err("«id» debe ser un identificador.".into()), "{id}");
        }
        assert!(call("conversacion", json!({ "rol": "user" })).is_err());
        assert!(call("listarLeads", json!({ "texto": ["a"] })).is_err());
        assert!(toolbox().call("borrarFoto", Map::new()).is_none());
    }
}
