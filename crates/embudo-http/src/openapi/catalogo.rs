//! The catalogue of operations: what each call is for, in words, what it takes and what it answers.
//!
//! Only words and names; `operaciones` turns them into OpenAPI.

/// One method of one path.
pub(super) struct Operacion {
    pub metodo: &'static str,
    pub ruta: &'static str,
    pub id: &'static str,
    pub etiqueta: &'static str,
    pub resumen: &'static str,
    pub descripcion: &'static str,
    /// The name of its body, if it takes one.
    pub cuerpo: Option<&'static str>,
    pub exito: Exito,
    /// The refusals besides those that its kind brings along.
    pub otros: &'static [u16],
}

/// The answer when all is well.
pub(super) struct Exito {
    pub status: u16,
    pub texto: &'static str,
    /// The name of its schema, or a type of text.
    pub contenido: Contenido,
}

pub(super) enum Contenido {
    /// JSON of a named schema, with an example.
    Json(&'static str, &'static str),
    /// A media type and an example.
    Otro(&'static str, &'static str),
    Nada,
}

const HECHO: Exito =
    Exito { status: 200, texto: "Hecho.", contenido: Contenido::Json("Hecho", r#"{"ok":true}"#) };
const CON_ID: Contenido =
    Contenido::Json("HechoConId", r#"{"ok":true,"id":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b"}"#);

/// Every operation, in reading order.
pub(super) const OPERACIONES: &[Operacion] = &[
    Operacion {
        metodo: "post",
        ruta: "/api/leads/{id}/ingesta",
        id: "ingesta",
        etiqueta: "Ingesta",
        resumen: "Añadir fotos y notas",
        descripcion: "Guarda las fotos y notas de `items` y, si se pide, avisa de que el perfil está completo \
            (`perfilCompleto: true`) o hace y entrega el presupuesto (`finalizar: true`).\n\n\
            - Todo lo de una llamada se guarda junto, o no se guarda nada.\n\
            - Hace falta al menos un elemento o una bandera a `true`: la llamada vacía da 422, y `{\"perfilCompleto\": false}` solo es una llamada vacía.\n\
            - Lo que se envía se guarda antes de preparar los avisos de la misma llamada, así que va en ellos.\n\
            - Sin `zona`, una foto toma el tipo de reforma del lead y, si no se conoce, `otro`. Sin `orden`, sigue al máximo del lead (la primera es la 1), también entre los elementos de una llamada y entre llamadas simultáneas.\n\
            - No hay límite de elementos; el cuerpo admite 64 MiB salvo que el servidor diga otra cosa.\n\
            - Con `finalizar`, `finalizado.ok` es `true` cuando el PDF está hecho y guardado; el correo y el aviso de mensajería salen a la vez. El mismo cuerpo otra vez, sin `Idempotency-Key`, mientras el primero se hace o en el minuto siguiente a haberlo entregado todo, devuelve la misma respuesta con `Idempotency-Replayed: true` y no hace nada.\n\
            - Sin destino configurado, el aviso no sale, la respuesta dice `false` y queda un evento simulado.",
        cuerpo: Some("Ingesta"),
        exito: Exito {
            status: 200,
            texto: "Guardado.",
            contenido: Contenido::Json(
                "IngestaHecha",
                r#"{"ok":true,"fotos":1,"notas":1,"perfilSenalado":false,"finalizado":null}"#,
            ),
        },
        otros: &[],
    },
    Operacion {
        metodo: "post",
        ruta: "/api/leads/{id}/conversacion",
        id: "conversacion",
        etiqueta: "Bot",
        resumen: "Añadir un turno de conversación",
        descripcion: "Añade un turno al historial y, si se envían, cambia el estado de mensajería y el paso del bot, todo a \
            la vez. Los turnos se leen en el orden en que se aceptaron. Entre los estados no hay orden obligado: se escribe lo que se envía.",
        cuerpo: Some("Turno"),
        exito: Exito { status: 200, texto: "Guardado, con el identificador del turno.", contenido: CON_ID },
        otros: &[],
    },
    Operacion {
        metodo: "post",
        ruta: "/api/leads/{id}/perfil",
        id: "perfil",
        etiqueta: "Bot",
        resumen: "Actualizar el perfil",
        descripcion: "Escribe solo los campos que se envían; los demás quedan como estaban. Un cuerpo sin ningún campo conocido da 422.",
        cuerpo: Some("Perfil"),
        exito: Exito {
            status: 200,
            texto: "Escrito, con los nombres de los campos.",
            contenido: Contenido::Json(
                "PerfilHecho",
                r#"{"ok":true,"actualizado":["tipoReforma","m2Suelo"]}"#,
            ),
        },
        otros: &[],
    },
    Operacion {
        metodo: "post",
        ruta: "/api/leads/{id}/calificacion",
        id: "calificacion",
        etiqueta: "Bot",
        resumen: "Calificar el lead",
        descripcion: "Crea la calificación del lead o actualiza la que hay: cada lead tiene una, y los campos que una llamada \
            omite se conservan. Un cuerpo sin ningún campo conocido da 422.",
        cuerpo: Some("Calificacion"),
        exito: HECHO,
        otros: &[],
    },
    Operacion {
        metodo: "post",
        ruta: "/api/leads/{id}/intento",
        id: "intento",
        etiqueta: "Bot",
        resumen: "Registrar un intento de contacto",
        descripcion: "Registra un intento. El mismo `numeroIntento` dos veces son dos intentos.",
        cuerpo: Some("Intento"),
        exito: Exito { status: 200, texto: "Guardado, con el identificador del intento.", contenido: CON_ID },
        otros: &[],
    },
    Operacion {
        metodo: "post",
        ruta: "/api/leads/{id}/mensajeria",
        id: "mensajeria",
        etiqueta: "Bot",
        resumen: "Seguir por mensajería",
        descripcion: "El lead ha elegido seguir por mensajería: cada llamada envía la señal de inicio de conversación. El \
            cuerpo puede faltar; si lo hay, debe ser un objeto JSON.",
        cuerpo: Some("Mensajeria"),
        exito: Exito {
            status: 200,
            texto: "Anotado; «senal» dice si salió el aviso.",
            contenido: Contenido::Json("MensajeriaHecha", r#"{"ok":true,"senal":false}"#),
        },
        otros: &[],
    },
    Operacion {
        metodo: "post",
        ruta: "/api/leads",
        id: "crearLead",
        etiqueta: "Leads",
        resumen: "Crear un lead",
        descripcion: "Crea un lead con su contacto y, si se conocen, campos de su perfil. El teléfono se guarda tal como se \
            escribió y en E.164 (sin prefijo se entiende español); uno que no es ni posible da 422. Un segundo lead con el mismo \
            teléfono o correo en la misma empresa se crea igual, y la ficha lo dice en `posibleDuplicado`. Un `tenantId` que no existe da 422.",
        cuerpo: Some("NuevoLead"),
        exito: Exito { status: 201, texto: "Creado; Location dice dónde está.", contenido: CON_ID },
        otros: &[],
    },
    Operacion {
        metodo: "get",
        ruta: "/api/leads",
        id: "listarLeads",
        etiqueta: "Leads",
        resumen: "Buscar leads",
        descripcion: "Del más nuevo al más antiguo, por páginas: pide la siguiente con el valor de `siguiente` como `cursor`. Los \
            filtros se suman; uno vacío no filtra, uno desconocido se ignora y, de uno repetido, cuenta el último. Uno mal escrito da 422.",
        cuerpo: None,
        exito: Exito {
            status: 200,
            texto: "Una página.",
            contenido: Contenido::Json("PaginaDeLeads", include_str!("ejemplos/pagina.json")),
        },
        otros: &[422],
    },
    Operacion {
        metodo: "get",
        ruta: "/api/leads/{id}",
        id: "verLead",
        etiqueta: "Leads",
        resumen: "Ver la ficha completa",
        descripcion: "Todo lo que se sabe del lead. Lo que falta es `null`; los instantes van en UTC; `criterios` y `metadata` vuelven \
            tal como se enviaron.",
        cuerpo: None,
        exito: Exito {
            status: 200,
            texto: "La ficha.",
            contenido: Contenido::Json("Ficha", include_str!("ejemplos/ficha.json")),
        },
        otros: &[],
    },
    Operacion {
        metodo: "patch",
        ruta: "/api/leads/{id}",
        id: "corregirContacto",
        etiqueta: "Leads",
        resumen: "Corregir los datos de contacto",
        descripcion: "Escribe solo los campos que se envían, con las mismas reglas que al crear el lead. Un cuerpo sin ningún campo conocido da 422.",
        cuerpo: Some("Contacto"),
        exito: HECHO,
        otros: &[],
    },
    Operacion {
        metodo: "get",
        ruta: "/api/leads/{id}/eventos",
        id: "listarEventos",
        etiqueta: "Leads",
        resumen: "Ver qué le ha pasado",
        descripcion: "Los eventos del lead, del más antiguo al más nuevo y por páginas: cada aviso y correo con su resultado, cada cambio de \
            `estadoWa` y `botStep` (el valor va en `detalle`), cada cierre y cada plazo vencido. Nunca se modifican.",
        cuerpo: None,
        exito: Exito {
            status: 200,
            texto: "Una página.",
            contenido: Contenido::Json(
                "PaginaDeEventos",
                r#"{"eventos":[{"tipo":"perfil_completo","simulado":false,"ok":true,"detalle":null,"creadoEn":"2026-11-14T10:40:00Z"}],"siguiente":null}"#,
            ),
        },
        otros: &[422],
    },
    Operacion {
        metodo: "get",
        ruta: "/api/leads/{id}/fotos/{foto}",
        id: "verFoto",
        etiqueta: "Fotos",
        resumen: "Leer una foto",
        descripcion: "La imagen vuelve exactamente como se recibió, byte a byte: el mismo data URI o la misma URL.",
        cuerpo: None,
        exito: Exito {
            status: 200,
            texto: "La foto.",
            contenido: Contenido::Json(
                "FotoRecibida",
                r#"{"id":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","imagen":"https://ejemplo.es/cocina.jpg","zona":"cocina","momento":"antes","orden":1}"#,
            ),
        },
        otros: &[],
    },
    Operacion {
        metodo: "delete",
        ruta: "/api/leads/{id}/fotos/{foto}",
        id: "borrarFoto",
        etiqueta: "Fotos",
        resumen: "Borrar una foto",
        descripcion: "Borra la foto del lead. No se puede deshacer; borrarla otra vez da 404.",
        cuerpo: None,
        exito: Exito { status: 204, texto: "Borrada.", contenido: Contenido::Nada },
        otros: &[],
    },
    Operacion {
        metodo: "get",
        ruta: "/api/leads/{id}/presupuestos/{fichero}",
        id: "verPresupuesto",
        etiqueta: "Presupuestos",
        resumen: "Descargar un presupuesto",
        descripcion: "El PDF de un presupuesto del lead, byte a byte como se envió. El ETag es su SHA-256. Un presupuesto que aún se está dibujando no existe: 404.",
        cuerpo: None,
        exito: Exito { status: 200, texto: "El PDF.", contenido: Contenido::Otro("application/pdf", "") },
        otros: &[],
    },
    Operacion {
        metodo: "get",
        ruta: "/healthz",
        id: "healthz",
        etiqueta: "Sistema",
        resumen: "¿Vive el proceso?",
        descripcion: "Responde mientras el proceso funciona. No pide clave.",
        cuerpo: None,
        exito: Exito { status: 200, texto: "Vive.", contenido: Contenido::Otro("text/plain", "ok\n") },
        otros: &[],
    },
    Operacion {
        metodo: "get",
        ruta: "/readyz",
        id: "readyz",
        etiqueta: "Sistema",
        resumen: "¿Puede atender?",
        descripcion: "Responde 200 cuando el almacenamiento contesta, y 503 si no. No pide clave.",
        cuerpo: None,
        exito: Exito { status: 200, texto: "Puede.", contenido: Contenido::Otro("text/plain", "ok\n") },
        otros: &[503],
    },
    Operacion {
        metodo: "get",
        ruta: "/metrics",
        id: "metrics",
        etiqueta: "Sistema",
        resumen: "Métricas para Prometheus",
        descripcion: "Con la clave de la API o con la de métricas. 404 si las métricas tienen su propio puerto o están apagadas.",
        cuerpo: None,
        exito: Exito { status: 200, texto: "Las métricas.", contenido: Contenido::Otro("text/plain", "") },
        otros: &[401, 404, 429],
    },
    Operacion {
        metodo: "get",
        ruta: "/openapi.json",
        id: "openapi",
        etiqueta: "Sistema",
        resumen: "Este documento",
        descripcion: "La descripción de la API en OpenAPI 3.1. No pide clave.",
        cuerpo: None,
        exito: Exito {
            status: 200,
            texto: "El documento.",
            contenido: Contenido::Otro("application/json", ""),
        },
        otros: &[],
    },
];
