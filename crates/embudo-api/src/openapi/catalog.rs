//! The catalogue of operations: for each call its purpose in words, its input and its answers.
//!
//! Only words and names; `operations` turns them into OpenAPI.

/// One method of one path.
pub(super) struct Operation {
    pub method: &'static str,
    pub path: &'static str,
    pub id: &'static str,
    pub label: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    /// The name of its body, if it takes one.
    pub body: Option<&'static str>,
    pub success: Success,
    /// The statuses of refusals, besides those that every operation of its kind has.
    pub others: &'static [u16],
}

/// The answer when all is well.
pub(super) struct Success {
    pub status: u16,
    pub text: &'static str,
    /// The name of its schema, or a type of text.
    pub content: Content,
}

pub(super) enum Content {
    /// JSON of a named schema, with an example.
    Json(&'static str, &'static str),
    /// A media type and an example.
    Other(&'static str, &'static str),
    Nothing,
}

const DONE: Success =
    Success { status: 200, text: "Hecho.", content: Content::Json("Hecho", r#"{"ok":true}"#) };
const WITH_ID: Content =
    Content::Json("HechoConId", r#"{"ok":true,"id":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b"}"#);

/// Every operation, in reading order.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        method: "post",
        path: "/api/leads/{id}/ingesta",
        id: "ingesta",
        label: "Ingesta",
        summary: "Añadir fotos y notas",
        description: "Guarda las fotos y notas de `items` y, si se pide, avisa de que el perfil está completo \
            (`perfilCompleto: true`) o hace y entrega el presupuesto (`finalizar: true`).\n\n\
            - Todo lo de una llamada se guarda junto, o no se guarda nada.\n\
            - Hace falta al menos un elemento o una bandera a `true`: la llamada vacía da 422, y `{\"perfilCompleto\": false}` solo es una llamada vacía.\n\
            - Lo que se envía se guarda antes de preparar los avisos de la misma llamada, así que va en ellos.\n\
            - Sin `zona`, una foto toma el tipo de reforma del lead y, si no se conoce, `otro`. Sin `orden`, sigue al máximo del lead (la primera es la 1), también entre los elementos de una llamada y entre llamadas simultáneas.\n\
            - No hay límite de elementos; el cuerpo admite 64 MiB salvo que el servidor diga otra cosa.\n\
            - Con `finalizar`, `finalizado.ok` es `true` cuando el PDF está hecho y guardado; el correo y el aviso de mensajería salen a la vez. El mismo cuerpo otra vez, sin `Idempotency-Key`, mientras el primero se hace o en el minuto siguiente a haberlo entregado todo, devuelve la misma respuesta con `Idempotency-Replayed: true` y no hace nada.\n\
            - Sin destino configurado, el aviso no sale, la respuesta dice `false` y queda un evento simulado.",
        body: Some("Ingesta"),
        success: Success {
            status: 200,
            text: "Guardado.",
            content: Content::Json(
                "IngestaHecha",
                r#"{"ok":true,"fotos":1,"notas":1,"perfilSenalado":false,"finalizado":null}"#,
            ),
        },
        others: &[],
    },
    Operation {
        method: "post",
        path: "/api/leads/{id}/conversacion",
        id: "conversacion",
        label: "Bot",
        summary: "Añadir un turno de conversación",
        description: "Añade un turno al historial y, si se envían, cambia el estado de mensajería y el paso del bot, todo a \
            la vez. Los turnos se leen en el orden en que se aceptaron. Entre los estados no hay orden obligado: se escribe lo que se envía.",
        body: Some("Turno"),
        success: Success { status: 200, text: "Guardado, con el identificador del turno.", content: WITH_ID },
        others: &[],
    },
    Operation {
        method: "post",
        path: "/api/leads/{id}/perfil",
        id: "perfil",
        label: "Bot",
        summary: "Actualizar el perfil",
        description: "Escribe solo los campos que se envían; los demás quedan como estaban. Un cuerpo sin ningún campo conocido da 422.",
        body: Some("Perfil"),
        success: Success {
            status: 200,
            text: "Escrito, con los nombres de los campos.",
            content: Content::Json("PerfilHecho", r#"{"ok":true,"actualizado":["tipoReforma","m2Suelo"]}"#),
        },
        others: &[],
    },
    Operation {
        method: "post",
        path: "/api/leads/{id}/calificacion",
        id: "calificacion",
        label: "Bot",
        summary: "Calificar el lead",
        description: "Crea la calificación del lead o actualiza la que hay: cada lead tiene una, y los campos que una llamada \
            omite se conservan. Un cuerpo sin ningún campo conocido da 422.",
        body: Some("Calificacion"),
        success: DONE,
        others: &[],
    },
    Operation {
        method: "post",
        path: "/api/leads/{id}/intento",
        id: "intento",
        label: "Bot",
        summary: "Registrar un intento de contacto",
        description: "Registra un intento. El mismo `numeroIntento` dos veces son dos intentos.",
        body: Some("Intento"),
        success: Success {
            status: 200,
            text: "Guardado, con el identificador del intento.",
            content: WITH_ID,
        },
        others: &[],
    },
    Operation {
        method: "post",
        path: "/api/leads/{id}/mensajeria",
        id: "mensajeria",
        label: "Bot",
        summary: "Seguir por mensajería",
        description: "El lead ha elegido seguir por mensajería: cada llamada envía la señal de inicio de conversación. El \
            cuerpo puede faltar; si lo hay, debe ser un objeto JSON.",
        body: Some("Mensajeria"),
        success: Success {
            status: 200,
            text: "Anotado; «senal» dice si salió el aviso.",
            content: Content::Json("MensajeriaHecha", r#"{"ok":true,"senal":false}"#),
        },
        others: &[],
    },
    Operation {
        method: "post",
        path: "/api/leads",
        id: "crearLead",
        label: "Leads",
        summary: "Crear un lead",
        description: "Crea un lead con su contacto y, si se conocen, campos de su perfil. El teléfono se guarda tal como se \
            escribió y en E.164 (sin prefijo se entiende español); uno que no es ni posible da 422. Un segundo lead con el mismo \
            teléfono o correo en la misma empresa se crea igual, y la ficha lo dice en `posibleDuplicado`. Un `tenantId` que no existe da 422.",
        body: Some("NuevoLead"),
        success: Success { status: 201, text: "Creado; Location dice dónde está.", content: WITH_ID },
        others: &[],
    },
    Operation {
        method: "get",
        path: "/api/pendiente",
        id: "verPendiente",
        label: "Leads",
        summary: "Ver qué espera hoy a una persona",
        description: "Lo próximo que hay que hacer con cada lead, si toca hoy: primero lo que ya toca, por urgencia, puntuación y antigüedad; \
            después lo que toca antes de que acabe el día. Con las visitas acordadas que quedan hoy. Sigue a lo que pasa en un segundo o dos.",
        body: None,
        success: Success {
            status: 200,
            text: "Lo pendiente.",
            content: Content::Json(
                "Pendencias",
                r#"{"hasta":"2026-11-14T23:00:00Z","pendientes":[{"leadId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","empresa":{"tenantId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2c","nombre":"Reformas Ejemplo"},"nombre":"Ana García","etapa":"en_conversacion","accion":"responder","vence":"2026-11-14T10:55:00Z","vencida":true,"nivel":"A","score":82}],"hayMas":false,"visitas":[{"leadId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2d","nombre":"Luis Pérez","inicio":"2026-11-14T16:00:00Z"}]}"#,
            ),
        },
        others: &[422],
    },
    Operation {
        method: "get",
        path: "/api/leads",
        id: "listarLeads",
        label: "Leads",
        summary: "Buscar leads",
        description: "Del más nuevo al más antiguo, por páginas: pide la siguiente con el valor de `siguiente` como `cursor`. Los \
            filtros se suman; uno vacío no filtra, uno desconocido se ignora y, de uno repetido, cuenta el último. Uno mal escrito da 422.",
        body: None,
        success: Success {
            status: 200,
            text: "Una página.",
            content: Content::Json("PaginaDeLeads", include_str!("ejemplos/pagina.json")),
        },
        others: &[422],
    },
    Operation {
        method: "get",
        path: "/api/leads/{id}",
        id: "verLead",
        label: "Leads",
        summary: "Ver la ficha completa",
        description: "Todo lo que se sabe del lead. Lo que falta es `null`; los instantes van en UTC; `criterios` y `metadata` vuelven \
            tal como se enviaron.",
        body: None,
        success: Success {
            status: 200,
            text: "La ficha.",
            content: Content::Json("Ficha", include_str!("ejemplos/ficha.json")),
        },
        others: &[],
    },
    Operation {
        method: "patch",
        path: "/api/leads/{id}",
        id: "corregirContacto",
        label: "Leads",
        summary: "Corregir los datos de contacto",
        description: "Escribe solo los campos que se envían, con las mismas reglas que al crear el lead. Un cuerpo sin ningún campo conocido da 422.",
        body: Some("Contacto"),
        success: DONE,
        others: &[],
    },
    Operation {
        method: "get",
        path: "/api/leads/{id}/eventos",
        id: "listarEventos",
        label: "Leads",
        summary: "Ver qué le ha pasado",
        description: "Los eventos del lead, del más antiguo al más nuevo y por páginas: cada aviso y correo con su resultado, cada cambio de \
            `estadoWa` y `botStep` (el valor va en `detalle`), cada cierre y cada plazo vencido. Nunca se modifican.",
        body: None,
        success: Success {
            status: 200,
            text: "Una página.",
            content: Content::Json(
                "PaginaDeEventos",
                r#"{"eventos":[{"tipo":"perfil_completo","simulado":false,"ok":true,"detalle":null,"creadoEn":"2026-11-14T10:40:00Z"}],"siguiente":null}"#,
            ),
        },
        others: &[422],
    },
    Operation {
        method: "get",
        path: "/api/leads/{id}/fotos/{foto}",
        id: "verFoto",
        label: "Fotos",
        summary: "Leer una foto",
        description: "La imagen vuelve exactamente como se recibió, byte a byte: el mismo data URI o la misma URL.",
        body: None,
        success: Success {
            status: 200,
            text: "La foto.",
            content: Content::Json(
                "FotoRecibida",
                r#"{"id":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","imagen":"https://ejemplo.es/cocina.jpg","zona":"cocina","momento":"antes","orden":1}"#,
            ),
        },
        others: &[],
    },
    Operation {
        method: "delete",
        path: "/api/leads/{id}/fotos/{foto}",
        id: "borrarFoto",
        label: "Fotos",
        summary: "Borrar una foto",
        description: "Borra la foto del lead. No se puede deshacer; borrarla otra vez da 404.",
        body: None,
        success: Success { status: 204, text: "Borrada.", content: Content::Nothing },
        others: &[],
    },
    Operation {
        method: "get",
        path: "/api/leads/{id}/presupuestos",
        id: "listarPresupuestos",
        label: "Presupuestos",
        summary: "Ver qué dicen sus presupuestos",
        description: "Los presupuestos del lead como los lee el cliente, con sus partidas, opciones e impuestos, del más nuevo al más antiguo; \
            los veinte últimos. Cómo va su entrega y si se aceptaron está en la ficha.",
        body: None,
        success: Success {
            status: 200,
            text: "Los presupuestos.",
            content: Content::Json("PresupuestosDelLead", include_str!("ejemplos/presupuestos.json")),
        },
        others: &[],
    },
    Operation {
        method: "get",
        path: "/api/leads/{id}/presupuestos/{fichero}",
        id: "verPresupuesto",
        label: "Presupuestos",
        summary: "Descargar un presupuesto",
        description: "El PDF de un presupuesto del lead, byte a byte como se envió. El ETag es su SHA-256. Un presupuesto que aún se está dibujando no existe: 404.",
        body: None,
        success: Success { status: 200, text: "El PDF.", content: Content::Other("application/pdf", "") },
        others: &[],
    },
    Operation {
        method: "get",
        path: "/api/leads/{id}/visita",
        id: "verVisita",
        label: "Visitas",
        summary: "Ver la visita y sus huecos",
        description: "La visita que el lead tiene propuesta o acordada, y hasta doce horas: las que su cliente puede elegir, o a las que puede \
            moverla. Sin visita, horas en las que alguien de la empresa puede ir; nadie las reserva por leerlas. El cliente elige en `pagina`.",
        body: None,
        success: Success {
            status: 200,
            text: "La visita y los huecos.",
            content: Content::Json(
                "HuecosDeVisita",
                r#"{"visita":{"estado":"propuesta","inicio":null,"direccion":"Calle Mayor 1, Madrid","pagina":"/v/x7Kq"},"huecos":["2026-11-20T09:00:00Z"],"horaLocal":["viernes 20 de noviembre de 2026, a las 10:00"],"minutos":60}"#,
            ),
        },
        others: &[],
    },
    Operation {
        method: "get",
        path: "/healthz",
        id: "healthz",
        label: "Sistema",
        summary: "¿Vive el proceso?",
        description: "Responde mientras el proceso funciona. No pide clave.",
        body: None,
        success: Success { status: 200, text: "Vive.", content: Content::Other("text/plain", "ok\n") },
        others: &[],
    },
    Operation {
        method: "get",
        path: "/readyz",
        id: "readyz",
        label: "Sistema",
        summary: "¿Puede atender?",
        description: "Responde 200 cuando el almacenamiento contesta, y 503 si no. No pide clave.",
        body: None,
        success: Success { status: 200, text: "Puede.", content: Content::Other("text/plain", "ok\n") },
        others: &[503],
    },
    Operation {
        method: "get",
        path: "/metrics",
        id: "metrics",
        label: "Sistema",
        summary: "Métricas para Prometheus",
        description: "Con la clave de la API o con la de métricas. 404 si las métricas tienen su propio puerto o están apagadas.",
        body: None,
        success: Success { status: 200, text: "Las métricas.", content: Content::Other("text/plain", "") },
        others: &[401, 404, 429],
    },
    Operation {
        method: "get",
        path: "/openapi.json",
        id: "openapi",
        label: "Sistema",
        summary: "Este documento",
        description: "La descripción de la API en OpenAPI 3.1. No pide clave.",
        body: None,
        success: Success {
            status: 200,
            text: "El documento.",
            content: Content::Other("application/json", ""),
        },
        others: &[],
    },
];
