//! What each problem `type` means, and what to do about it: for the documentation and for the OpenAPI document.

/// What one problem type means.
pub(crate) struct Explanation {
    /// The last part of the problem's `type`.
    pub kind: &'static str,
    /// A `detail` as the server words it, for the examples.
    pub detail: &'static str,
    pub what_happened: &'static str,
    pub what_to_do: &'static str,
}

/// One for each entry of [`crate::problem::KINDS`].
pub(crate) const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        kind: "ruta-desconocida",
        detail: "No hay nada en esta dirección. Consulta /docs.",
        what_happened: "La dirección no es ninguna de las de la API.",
        what_to_do: "Compara la ruta con la documentación: mayúsculas, barras de más y el orden de las partes cuentan.",
    },
    Explanation {
        kind: "metodo-no-permitido",
        detail: "Esta dirección no admite ese método; los admitidos van en Allow.",
        what_happened: "La dirección existe, pero no con ese método.",
        what_to_do: "Usa uno de los métodos de la cabecera `Allow`. Los cinco puntos de ingesta y del bot son `POST`.",
    },
    Explanation {
        kind: "no-autorizado",
        detail: "Falta la cabecera «Authorization: Bearer <clave>» o la clave no es correcta.",
        what_happened: "Falta la cabecera `Authorization: Bearer <clave>`, viene dos veces, o la clave no es la del servidor.",
        what_to_do: "Envía la clave `FUNNEL_API_KEY` tal cual, una sola vez. Si se acaba de cambiar, pide la nueva a quien lleva el servidor.",
    },
    Explanation {
        kind: "demasiadas-peticiones",
        detail: "Demasiadas peticiones. Vuelve a intentarlo dentro de 12 s.",
        what_happened: "Desde esta dirección han llegado demasiadas claves equivocadas en un minuto, o la clave tiene un límite por minuto y se ha gastado.",
        what_to_do: "Espera los segundos de `Retry-After`. Si la clave era mala, corrígela antes de insistir.",
    },
    Explanation {
        kind: "clave-mal-formada",
        detail: "Idempotency-Key debe ser una sola, de 1 a 255 caracteres ASCII imprimibles.",
        what_happened: "La cabecera `Idempotency-Key` está vacía, es demasiado larga, lleva caracteres que no son ASCII o viene dos veces.",
        what_to_do: "Usa un UUID o el identificador del mensaje que procesas; si no la necesitas, no la envíes.",
    },
    Explanation {
        kind: "cuerpo-cortado",
        detail: "El cuerpo no llegó entero.",
        what_happened: "La conexión se cerró, o se anunciaron más bytes de los que llegaron.",
        what_to_do: "Vuelve a enviar la llamada entera. No se ha guardado nada.",
    },
    Explanation {
        kind: "cuerpo-lento",
        detail: "El cuerpo llega demasiado despacio.",
        what_happened: "Durante un rato apenas llegaron bytes del cuerpo.",
        what_to_do: "Vuelve a intentarlo; con una conexión muy lenta, envía menos fotos por llamada. No se ha guardado nada.",
    },
    Explanation {
        kind: "cuerpo-grande",
        detail: "El cuerpo supera el límite de 8388608 bytes.",
        what_happened: "El cuerpo pasa del límite: 8 MiB, o 64 MiB en ingesta, salvo que el servidor tenga otros.",
        what_to_do: "Reparte las fotos entre varias llamadas, redúcelas o envía su URL. No se ha guardado nada.",
    },
    Explanation {
        kind: "codificacion",
        detail: "El cuerpo debe ir sin comprimir: quita Content-Encoding.",
        what_happened: "El cuerpo viene comprimido (`Content-Encoding`).",
        what_to_do: "Envíalo sin comprimir y sin esa cabecera.",
    },
    Explanation {
        kind: "no-valido",
        detail: "Hay 2 errores; están en «errores».",
        what_happened: "El cuerpo no es JSON, le falta algo o algún valor no cumple su regla. También si la misma `Idempotency-Key` se usó con otro cuerpo, o si un filtro de la lista no se entiende.",
        what_to_do: "Recorre `errores`: cada uno dice en `campo` dónde está (puntero JSON), en `codigo` qué clase de fallo es y en `mensaje` cómo arreglarlo. Están todos (hasta mil). Repetir la llamada igual no sirve. No se ha guardado nada.",
    },
    Explanation {
        kind: "no-encontrado",
        detail: "El lead no existe.",
        what_happened: "La llamada está bien, pero no hay ningún lead con ese identificador, o el lead no tiene esa foto.",
        what_to_do: "Comprueba el UUID. Con solo el teléfono o el correo puedes encontrarlo en `GET /api/leads`.",
    },
    Explanation {
        kind: "en-curso",
        detail: "La primera llamada con esta Idempotency-Key aún no ha terminado.",
        what_happened: "Otra llamada con la misma `Idempotency-Key` está todavía en marcha.",
        what_to_do: "Espera los segundos de `Retry-After` y repítela igual: recibirás la respuesta de la primera.",
    },
    Explanation {
        kind: "no-disponible",
        detail: "El almacenamiento no responde. Vuelve a intentarlo.",
        what_happened: "El almacenamiento no contesta, o hay demasiadas subidas a la vez.",
        what_to_do: "Espera los segundos de `Retry-After` y repite la llamada, mejor con `Idempotency-Key`. El servidor se recupera solo.",
    },
    Explanation {
        kind: "interno",
        detail: "Ha fallado algo que no debía. Indica el identificador «instance» al avisar.",
        what_happened: "Un fallo nuestro: ninguna petición debería llegar aquí.",
        what_to_do: "Avisa a quien lleva el servidor con el `instance` de la respuesta: con él encuentra la línea en el registro.",
    },
];
