//! Writing HTML: escaping, the frame of a page, and the little Markdown that the document's texts use.

use std::fmt::Write as _;

/// Text as it stands inside an element or a quoted attribute.
pub(super) fn esc(texto: &str) -> String {
    let mut salida = String::with_capacity(texto.len());
    for c in texto.chars() {
        match c {
            '&' => salida.push_str("&amp;"),
            '<' => salida.push_str("&lt;"),
            '>' => salida.push_str("&gt;"),
            '"' => salida.push_str("&quot;"),
            c => salida.push(c),
        }
    }
    salida
}

/// A whole page around `cuerpo`.
pub(super) fn pagina(titulo: &str, cuerpo: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"es\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/docs/docs.css\">\n\
         <script type=\"module\" src=\"/docs/docs.js\"></script>\n</head>\n<body>\n{cuerpo}\n</body>\n</html>\n",
        esc(titulo)
    )
}

/// Paragraphs, lists (`- `, `1. `), `## ` headings, and inside them code, bold and links.
pub(super) fn markdown(texto: &str) -> String {
    let mut salida = String::new();
    let mut lista: Option<&str> = None;
    for linea in texto.lines() {
        let (marca, resto) = clase(linea);
        if marca != lista {
            if let Some(abierta) = lista.take() {
                let _ = writeln!(salida, "</{abierta}>");
            }
            if let Some(nueva) = marca {
                let _ = writeln!(salida, "<{nueva}>");
                lista = marca;
            }
        }
        let _ = match (marca, resto.strip_prefix("## ")) {
            (Some(_), _) => writeln!(salida, "<li>{}</li>", en_linea(resto)),
            (None, Some(titulo)) => writeln!(salida, "<h3>{}</h3>", en_linea(titulo)),
            (None, None) if resto.is_empty() => Ok(()),
            (None, None) => writeln!(salida, "<p>{}</p>", en_linea(resto)),
        };
    }
    if let Some(abierta) = lista {
        let _ = writeln!(salida, "</{abierta}>");
    }
    salida
}

/// The kind of list a line belongs to, and the line without its mark.
fn clase(linea: &str) -> (Option<&'static str>, &str) {
    if let Some(resto) = linea.strip_prefix("- ") {
        return (Some("ul"), resto);
    }
    match linea.split_once(". ") {
        Some((n, resto)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => (Some("ol"), resto),
        _ => (None, linea),
    }
}

fn en_linea(texto: &str) -> String {
    let mut salida = String::new();
    for (n, trozo) in texto.split('`').enumerate() {
        if n % 2 == 1 {
            let _ = write!(salida, "<code>{}</code>", esc(trozo));
        } else {
            salida.push_str(&enlaces(&negritas(&esc(trozo))));
        }
    }
    salida
}

fn negritas(texto: &str) -> String {
    let trozos: Vec<&str> = texto.split("**").collect();
    let con_marca =
        |(n, t): (usize, &&str)| if n % 2 == 1 { format!("<strong>{t}</strong>") } else { (*t).to_owned() };
    trozos.iter().enumerate().map(con_marca).collect()
}

/// `[words](/address)`, for addresses of this server only.
fn enlaces(texto: &str) -> String {
    let mut salida = String::new();
    let mut resto = texto;
    while let Some((antes, desde)) = resto.split_once('[') {
        salida.push_str(antes);
        match desde.split_once("](/").and_then(|(palabras, d)| Some((palabras, d.split_once(')')?))) {
            Some((palabras, (destino, despues))) => {
                let _ = write!(salida, "<a href=\"/{destino}\">{palabras}</a>");
                resto = despues;
            }
            None => {
                salida.push('[');
                resto = desde;
            }
        }
    }
    salida + resto
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_markdown_we_write_becomes_html() {
        let html = markdown("Uno `a<b>` y **dos**, ver [/docs](/docs).\n\n- x\n- y\n\n1. z");
        assert_eq!(
            html,
            "<p>Uno <code>a&lt;b&gt;</code> y <strong>dos</strong>, ver <a href=\"/docs\">/docs</a>.</p>\n\
             <ul>\n<li>x</li>\n<li>y</li>\n</ul>\n<ol>\n<li>z</li>\n</ol>\n"
        );
    }
}
