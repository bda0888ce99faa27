//! The shapes of successful answers, as `api::vista` writes them: every field, always there, `null` where absent.

use embudo_domain::bucle::PasoBucle;
use embudo_domain::consentimiento;
use embudo_domain::conversacion::Turno;
use embudo_domain::evento::TipoEvento;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::Intento;
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::presupuesto::{CanalEntrega, EstadoEntrega, EstadoPresupuesto};
use embudo_domain::{Campo, Cuerpo, Tipo, Zona, calificacion};
use serde_json::{Map, Value, json};

use super::esquemas::{cerrado, con, de_tipo, entero, id, instante, lista, o_nulo, referencia};

/// Every named answer and part of an answer.
pub(super) fn esquemas() -> Map<String, Value> {
    let mut todos = Map::new();
    let mut poner =
        |nombre: &str, esquema: Value, doc: &str| todos.insert(nombre.to_owned(), con(esquema, doc));
    poner("Hecho", cerrado(vec![("ok", ok())]), "Hecho.");
    poner("HechoConId", cerrado(vec![("ok", ok()), ("id", id())]), "Hecho, con el identificador asignado.");
    poner("IngestaHecha", ingesta_hecha(), "Lo que se guardó y lo que se avisó.");
    poner("Finalizado", finalizado(), "Cómo fue el cierre.");
    poner("PerfilHecho", perfil_hecho(), "Los campos escritos.");
    poner("MensajeriaHecha", mensajeria_hecha(), "Si la señal llegó.");
    poner("FotoRecibida", foto_recibida(), "La foto, con la imagen exactamente como se recibió.");
    poner("Empresa", empresa(), "La empresa del lead.");
    poner("LeadResumen", resumen(), "Un lead en una lista.");
    poner("PaginaDeLeads", pagina(), "Una página, del más nuevo al más antiguo.");
    poner("Ficha", ficha(), "La ficha completa; lo que no se sabe es null.");
    poner("Foto", foto(), "Una foto guardada.");
    poner("Nota", nota(), "Una nota guardada.");
    poner("TurnoGuardado", turno(), "Un turno guardado.");
    poner("CalificacionGuardada", calificacion_guardada(), "La calificación del lead.");
    poner("IntentoGuardado", intento(), "Un intento guardado.");
    poner("Evento", evento(), "Algo que le ha pasado al lead.");
    poner("PaginaDeEventos", pagina_de_eventos(), "Una página, del más antiguo al más nuevo.");
    poner("Presupuesto", presupuesto(), "Un presupuesto del lead.");
    poner("Entrega", entrega(), "Lo que ha sido de un presupuesto por un canal.");
    poner("Bucle", bucle(), "Qué se espera del flujo externo desde que se le avisó del perfil.");
    poner("ConsentimientoGuardado", consentimiento_guardado(), "Un consentimiento guardado.");
    todos
}

fn ok() -> Value {
    json!({ "type": "boolean", "const": true })
}

fn booleano(doc: &str) -> Value {
    json!({ "type": "boolean", "description": doc })
}

pub(super) fn texto(doc: &str) -> Value {
    json!({ "type": "string", "description": doc })
}

/// A field of a request as it is read back: same kind, `null` when it was never sent.
pub(super) fn leido(campo: &Campo) -> Value {
    let esquema = match campo.tipo {
        Tipo::FechaHora => instante(),
        tipo => de_tipo(tipo),
    };
    con(o_nulo(esquema), campo.doc)
}

/// One field of a table, required there and so never `null` here.
fn escrito<T: Cuerpo>(nombre: &str) -> Value {
    let campo = T::CAMPOS.iter().find(|c| c.nombre == nombre).expect("the field stands in its table");
    con(de_tipo(campo.tipo), campo.doc)
}

fn leidos(campos: &'static [Campo]) -> impl Iterator<Item = (&'static str, Value)> {
    campos.iter().map(|c| (c.nombre, leido(c)))
}

fn ingesta_hecha() -> Value {
    cerrado(vec![
        ("ok", ok()),
        ("fotos", con(entero(0), "Fotos guardadas.")),
        ("notas", con(entero(0), "Notas guardadas.")),
        (
            "perfilSenalado",
            booleano("true solo si perfilCompleto disparó el aviso y el destino respondió bien."),
        ),
        ("finalizado", con(o_nulo(referencia("Finalizado")), "null si no se pidió finalizar.")),
    ])
}

fn finalizado() -> Value {
    cerrado(vec![
        ("ok", booleano("Si el PDF se hizo y se guardó.")),
        ("emailEnviado", booleano("Si el servidor de correo aceptó el mensaje.")),
        ("messagingSenal", booleano("Si el destino de mensajería respondió 2xx.")),
    ])
}

fn perfil_hecho() -> Value {
    let nombres: Vec<&str> = PerfilPatch::CAMPOS.iter().map(|c| c.nombre).collect();
    let actualizado = json!({
        "type": "array",
        "items": { "type": "string", "enum": nombres },
        "minItems": 1,
        "uniqueItems": true,
        "description": "Los nombres de los campos escritos, en el orden de la tabla.",
    });
    cerrado(vec![("ok", ok()), ("actualizado", actualizado)])
}

fn mensajeria_hecha() -> Value {
    cerrado(vec![
        ("ok", ok()),
        ("senal", booleano("true solo si la señal salió y el destino respondió bien.")),
    ])
}

fn foto_recibida() -> Value {
    let mut campos = vec![("id", id()), ("imagen", con(de_tipo(Tipo::Imagen), "Tal como se recibió."))];
    campos.extend(lugar_de_foto());
    cerrado(campos)
}

fn lugar_de_foto() -> [(&'static str, Value); 3] {
    [
        ("zona", con(de_tipo(Tipo::Uno(Zona::PALABRAS)), "La zona enviada o la que se supuso al guardarla.")),
        ("momento", de_tipo(Tipo::Uno(Momento::PALABRAS))),
        ("orden", json!({ "type": "number", "description": "Su posición." })),
    ]
}

fn foto() -> Value {
    let mut campos = vec![("id", id())];
    campos.extend(lugar_de_foto());
    campos.push(("legible", booleano("false si de la imagen recibida no se pueden leer los bytes.")));
    campos.push((
        "href",
        json!({ "type": "string", "format": "uri-reference", "description": "Dónde leerla." }),
    ));
    campos.push(("creadaEn", instante()));
    cerrado(campos)
}

fn nota() -> Value {
    let zona = con(o_nulo(de_tipo(Tipo::Uno(Zona::PALABRAS))), "null si no se envió.");
    cerrado(vec![
        ("id", id()),
        ("texto", de_tipo(Tipo::TextoNoVacio)),
        ("zona", zona),
        ("creadaEn", instante()),
    ])
}

fn turno() -> Value {
    let del_lead = ["estadoWa", "botStep"];
    let mut campos = vec![("id", id())];
    for campo in Turno::CAMPOS.iter().filter(|c| !del_lead.contains(&c.nombre)) {
        let esquema = if campo.requerido { escrito::<Turno>(campo.nombre) } else { leido(campo) };
        campos.push((campo.nombre, esquema));
    }
    campos.push(("creadoEn", instante()));
    cerrado(campos)
}

fn calificacion_guardada() -> Value {
    cerrado(leidos(calificacion::Calificacion::CAMPOS).collect())
}

fn intento() -> Value {
    let mut campos = vec![("id", id())];
    for campo in Intento::CAMPOS {
        let siempre = campo.requerido || campo.nombre == "completado";
        let esquema = if siempre { escrito::<Intento>(campo.nombre) } else { leido(campo) };
        campos.push((campo.nombre, esquema));
    }
    campos.push(("creadoEn", instante()));
    cerrado(campos)
}

fn evento() -> Value {
    cerrado(vec![
        ("tipo", de_tipo(Tipo::Uno(TipoEvento::PALABRAS))),
        ("simulado", booleano("true si no salió nada porque no hay destino configurado.")),
        ("ok", booleano("Si fue bien.")),
        ("detalle", o_nulo(texto("Más palabras, sin datos personales."))),
        ("creadoEn", instante()),
    ])
}

fn pagina_de_eventos() -> Value {
    let siguiente = o_nulo(texto("El cursor de la página siguiente; null si no hay más."));
    cerrado(vec![("eventos", lista(&referencia("Evento"))), ("siguiente", siguiente)])
}

fn presupuesto() -> Value {
    let dia = |doc: &str| json!({ "type": "string", "format": "date", "description": doc });
    let href = json!({ "type": ["string", "null"], "format": "uri-reference", "description": "Su PDF; null mientras se dibuja." });
    cerrado(vec![
        (
            "numero",
            con(
                json!({ "type": "string", "pattern": "^[1-9][0-9]{3}-[0-9]{4,}$" }),
                "Año y orden, sin huecos.",
            ),
        ),
        ("version", con(entero(1), "Cuántos presupuestos ha tenido el lead con este.")),
        (
            "estado",
            con(
                de_tipo(Tipo::Uno(EstadoPresupuesto::PALABRAS)),
                "`emitido` quiere decir dibujado y en manos de sus entregas; si llegó, lo dicen ellas.",
            ),
        ),
        ("totalCents", con(json!({ "type": "integer" }), "Con impuestos, en céntimos.")),
        ("emitido", dia("El día de su fecha.")),
        ("validoHasta", dia("El último día en que vale.")),
        ("href", href),
        (
            "pagina",
            json!({ "type": "string", "format": "uri-reference", "description": "Su página para el cliente, donde lo ve, lo acepta o lo rechaza; absoluta si el servidor conoce su dirección." }),
        ),
        (
            "sha256",
            json!({ "type": ["string", "null"], "description": "SHA-256 del PDF; null mientras se dibuja." }),
        ),
        ("creadoEn", instante()),
        (
            "emitidoEn",
            con(o_nulo(instante()), "Cuándo quedó dibujado y en manos de sus entregas; null si aún no."),
        ),
        (
            "entregas",
            con(
                lista(&referencia("Entrega")),
                "Cómo va su camino hasta el cliente: una por canal; ninguna mientras se dibuja.",
            ),
        ),
    ])
}

fn entrega() -> Value {
    cerrado(vec![
        (
            "canal",
            con(de_tipo(Tipo::Uno(CanalEntrega::PALABRAS)), "Por correo o con la señal de mensajería."),
        ),
        (
            "estado",
            con(
                de_tipo(Tipo::Uno(EstadoEntrega::PALABRAS)),
                "`entregada`: el servidor de correo o el destino la aceptó. `pendiente`: se intenta o se reintentará. `simulada`: no hay \
                 nada configurado y no salió nada. `fallida`: no llegó ni llegará por sí sola. `dudosa`: puede que llegara; decide una persona.",
            ),
        ),
        ("en", con(instante(), "Desde cuándo está así.")),
    ])
}

fn bucle() -> Value {
    cerrado(vec![
        ("paso", con(de_tipo(Tipo::Uno(PasoBucle::PALABRAS)), "Lo que se espera.")),
        ("desde", instante()),
        ("limite", con(instante(), "Hasta cuándo es normal esperar.")),
        ("vencido", booleano("Si el plazo pasó sin que llegara.")),
        ("resenales", con(entero(0), "Avisos repetidos por sí solos.")),
    ])
}

fn consentimiento_guardado() -> Value {
    let campos = consentimiento::CAMPOS.iter().map(|c| {
        let siempre = c.requerido || c.nombre == "otorgado";
        (c.nombre, if siempre { con(de_tipo(c.tipo), c.doc) } else { leido(c) })
    });
    cerrado(campos.collect())
}

fn empresa() -> Value {
    cerrado(vec![("tenantId", id()), ("nombre", texto("Su nombre."))])
}

fn lead() -> Vec<(&'static str, Value)> {
    let mut campos = vec![
        ("id", id()),
        ("empresa", referencia("Empresa")),
        ("nombre", de_tipo(Tipo::TextoNoVacio)),
        ("telefono", texto("Tal como se escribió.")),
        ("telefonoE164", json!({ "type": "string", "pattern": r"^\+[0-9]+$", "description": "En E.164." })),
        ("email", texto("Tal como se escribió.")),
        ("provincia", o_nulo(texto("Provincia."))),
    ];
    campos.extend(leidos(PerfilPatch::CAMPOS));
    campos.push(("utm", con(de_tipo(Tipo::MapaDeTextos), "Campaña e identificadores de anuncio.")));
    campos.push(("creadoEn", instante()));
    campos.push(("actualizadoEn", instante()));
    campos.push(("bucle", con(o_nulo(referencia("Bucle")), "null si no se espera nada.")));
    campos
}

fn resumen() -> Value {
    let mut campos = lead();
    campos.extend(leidos(calificacion::Calificacion::CAMPOS).filter(|(n, _)| ["nivel", "score"].contains(n)));
    cerrado(campos)
}

fn pagina() -> Value {
    let siguiente = o_nulo(texto("El cursor de la página siguiente; null si no hay más."));
    cerrado(vec![("leads", lista(&referencia("LeadResumen"))), ("siguiente", siguiente)])
}

fn ficha() -> Value {
    let duplicados = con(lista(&id()), "Otros leads de la empresa con el mismo teléfono o correo.");
    let mut campos = lead();
    campos.push(("posibleDuplicado", booleano("Si hay otros con el mismo teléfono o correo.")));
    campos.push(("duplicadoDe", duplicados));
    campos.push(("fotos", con(lista(&referencia("Foto")), "Por orden.")));
    campos.push(("notas", con(lista(&referencia("Nota")), "Según llegaron.")));
    campos.push(("conversacion", con(lista(&referencia("TurnoGuardado")), "Según se aceptaron.")));
    campos.push(("calificacion", con(o_nulo(referencia("CalificacionGuardada")), "null si no hay.")));
    campos.push(("intentos", con(lista(&referencia("IntentoGuardado")), "Según llegaron.")));
    campos
        .push(("eventos", con(lista(&referencia("Evento")), "Según ocurrieron, con los cambios de estado.")));
    campos.push(("consentimientos", con(lista(&referencia("ConsentimientoGuardado")), "Según llegaron.")));
    campos.push(("presupuestos", con(lista(&referencia("Presupuesto")), "Del más nuevo al más antiguo.")));
    cerrado(campos)
}
