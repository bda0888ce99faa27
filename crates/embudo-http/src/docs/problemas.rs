//! `/docs/problemas`: what each problem `type` means, and what to do about it.

use std::fmt::Write as _;

use super::html::{esc, markdown, pagina};
use crate::problema::TIPOS;

/// One problem type in words.
pub(crate) struct Explicacion {
    /// The last part of the problem's `type`.
    pub tipo: &'static str,
    /// A `detail` as the server words it, for the examples.
    pub detalle: &'static str,
    que_paso: &'static str,
    que_hacer: &'static str,
}

/// One for each entry of [`TIPOS`].
pub(crate) const EXPLICACIONES: &[Explicacion] = &[
    Explicacion {
        tipo: "ruta-desconocida",
        detalle: "No hay nada en esta dirección. Consulta /docs.",
        que_paso: "La dirección no es ninguna de las de la API.",
        que_hacer: "Compara la ruta con la documentación: mayúsculas, barras de más y el orden de las partes cuentan.",
    },
    Explicacion {
        tipo: "metodo-no-permitido",
        detalle: "Esta dirección no admite ese método; los admitidos van en Allow.",
        que_paso: "La dirección existe, pero no con ese método.",
        que_hacer: "Usa uno de los métodos de la cabecera `Allow`. Los cinco puntos de ingesta y del bot son `POST`.",
    },
    Explicacion {
        tipo: "no-autorizado",
        detalle: "Falta la cabecera «Authorization: Bearer <clave>» o la clave no es correcta.",
        que_paso: "Falta la cabecera `Authorization: Bearer <clave>`, viene dos veces, o la clave no es la del servidor.",
        que_hacer: "Envía la clave `FUNNEL_API_KEY` tal cual, una sola vez. Si se acaba de cambiar, pide la nueva a quien lleva el servidor.",
    },
    Explicacion {
        tipo: "demasiadas-peticiones",
        detalle: "Demasiadas peticiones. Vuelve a intentarlo dentro de 12 s.",
        que_paso: "Desde esta dirección han llegado demasiadas claves equivocadas en un minuto, o la clave tiene un límite por minuto y se ha gastado.",
        que_hacer: "Espera los segundos de `Retry-After`. Si la clave era mala, corrígela antes de insistir.",
    },
    Explicacion {
        tipo: "clave-mal-formada",
        detalle: "Idempotency-Key debe ser una sola, de 1 a 255 caracteres ASCII imprimibles.",
        que_paso: "La cabecera `Idempotency-Key` está vacía, es demasiado larga, lleva caracteres que no son ASCII o viene dos veces.",
        que_hacer: "Usa un UUID o el identificador del mensaje que procesas; si no la necesitas, no la envíes.",
    },
    Explicacion {
        tipo: "cuerpo-cortado",
        detalle: "El cuerpo no llegó entero.",
        que_paso: "La conexión se cerró, o se anunciaron más bytes de los que llegaron.",
        que_hacer: "Vuelve a enviar la llamada entera. No se ha guardado nada.",
    },
    Explicacion {
        tipo: "cuerpo-lento",
        detalle: "El cuerpo llega demasiado despacio.",
        que_paso: "Durante un rato apenas llegaron bytes del cuerpo.",
        que_hacer: "Vuelve a intentarlo; con una conexión muy lenta, envía menos fotos por llamada. No se ha guardado nada.",
    },
    Explicacion {
        tipo: "cuerpo-grande",
        detalle: "El cuerpo supera el límite de 8388608 bytes.",
        que_paso: "El cuerpo pasa del límite: 8 MiB, o 64 MiB en ingesta, salvo que el servidor tenga otros.",
        que_hacer: "Reparte las fotos entre varias llamadas, redúcelas o envía su URL. No se ha guardado nada.",
    },
    Explicacion {
        tipo: "codificacion",
        detalle: "El cuerpo debe ir sin comprimir: quita Content-Encoding.",
        que_paso: "El cuerpo viene comprimido (`Content-Encoding`).",
        que_hacer: "Envíalo sin comprimir y sin esa cabecera.",
    },
    Explicacion {
        tipo: "no-valido",
        detalle: "Hay 2 errores; están en «errores».",
        que_paso: "El cuerpo no es JSON, le falta algo o algún valor no cumple su regla. También si la misma `Idempotency-Key` se usó con otro cuerpo, o si un filtro de la lista no se entiende.",
        que_hacer: "Recorre `errores`: cada uno dice en `campo` dónde está (puntero JSON), en `codigo` qué clase de fallo es y en `mensaje` cómo arreglarlo. Están todos (hasta mil). Repetir la llamada igual no sirve. No se ha guardado nada.",
    },
    Explicacion {
        tipo: "no-encontrado",
        detalle: "El lead no existe.",
        que_paso: "La llamada está bien, pero no hay ningún lead con ese identificador, o el lead no tiene esa foto.",
        que_hacer: "Comprueba el UUID. Con solo el teléfono o el correo puedes encontrarlo en `GET /api/leads`.",
    },
    Explicacion {
        tipo: "en-curso",
        detalle: "La primera llamada con esta Idempotency-Key aún no ha terminado.",
        que_paso: "Otra llamada con la misma `Idempotency-Key` está todavía en marcha.",
        que_hacer: "Espera los segundos de `Retry-After` y repítela igual: recibirás la respuesta de la primera.",
    },
    Explicacion {
        tipo: "no-disponible",
        detalle: "El almacenamiento no responde. Vuelve a intentarlo.",
        que_paso: "El almacenamiento no contesta, o hay demasiadas subidas a la vez.",
        que_hacer: "Espera los segundos de `Retry-After` y repite la llamada, mejor con `Idempotency-Key`. El servidor se recupera solo.",
    },
    Explicacion {
        tipo: "interno",
        detalle: "Ha fallado algo que no debía. Indica el identificador «instance» al avisar.",
        que_paso: "Un fallo nuestro: ninguna petición debería llegar aquí.",
        que_hacer: "Avisa a quien lleva el servidor con el `instance` de la respuesta: con él encuentra la línea en el registro.",
    },
];

/// The words that `errores[].codigo` may hold, explained.
const CODIGOS_EXPLICADOS: &[(&str, &str)] = &[
    ("json", "El cuerpo no es JSON válido; el mensaje dice la línea y la columna."),
    ("requerido", "Falta un campo obligatorio."),
    ("tipo", "El valor es de otro tipo: un texto donde va un número, por ejemplo."),
    ("nulo", "Hay un null: envía un valor u omite el campo."),
    ("vacio", "El texto no puede estar vacío."),
    ("valor", "No es uno de los valores admitidos."),
    ("rango", "El número está fuera de sus límites."),
    ("formato", "El texto no tiene la forma que se espera (fecha, UUID, teléfono, imagen…)."),
    ("caracter_nulo", "Hay un carácter nulo (U+0000) en un texto o en una clave."),
    ("cuerpo_vacio", "No hay ningún campo conocido, o en ingesta nada que hacer."),
    ("clave_reutilizada", "Esta Idempotency-Key ya se usó con otro cuerpo."),
];

/// The page.
pub(super) fn pintar() -> String {
    let mut cuerpo = String::from(
        "<header class=\"cabecera\"><div class=\"marca\"><a href=\"/docs\">API de Embudo</a></div></header>\n\
         <main class=\"estrecha\" id=\"contenido\">\n<h1>Problemas</h1>\n\
         <p>Cada error lleva un <code>type</code> que apunta a su sección de esta página. \
         Escoge por <code>type</code> o por el código HTTP, no por el texto de <code>detail</code>, que puede cambiar.</p>\n",
    );
    for (tipo, status, titulo) in TIPOS {
        let explicacion = EXPLICACIONES.iter().find(|e| e.tipo == *tipo).expect("every type is explained");
        let _ = write!(
            cuerpo,
            "<section class=\"tarjeta\" id=\"{tipo}\"><h2><span class=\"estado e{}\">{status}</span> {}</h2>\
             <p class=\"pista\"><code>/docs/problemas#{tipo}</code></p>\
             <h3>Qué ha pasado</h3>{}<h3>Qué hacer</h3>{}",
            status / 100,
            esc(titulo),
            markdown(explicacion.que_paso),
            markdown(explicacion.que_hacer),
        );
        if *tipo == "no-valido" {
            cuerpo.push_str(&codigos());
        }
        cuerpo.push_str("</section>\n");
    }
    cuerpo.push_str("</main>");
    pagina("Problemas · API de Embudo", &cuerpo)
}

fn codigos() -> String {
    let mut tabla = String::from(
        "<h3>Códigos de fallo</h3><div class=\"tabla\"><table><thead><tr><th>codigo</th><th>Significado</th></tr></thead><tbody>",
    );
    for (codigo, texto) in CODIGOS_EXPLICADOS {
        let _ = write!(tabla, "<tr><td><code>{codigo}</code></td><td>{}</td></tr>", esc(texto));
    }
    tabla + "</tbody></table></div>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_and_code_is_explained_once() {
        let tipos: Vec<&str> = TIPOS.iter().map(|(tipo, ..)| *tipo).collect();
        let explicados: Vec<&str> = EXPLICACIONES.iter().map(|e| e.tipo).collect();
        assert_eq!(explicados, tipos);
        let codigos: Vec<&str> = CODIGOS_EXPLICADOS.iter().map(|(codigo, _)| *codigo).collect();
        assert_eq!(codigos, embudo_domain::errores::CODIGOS);
    }
}
