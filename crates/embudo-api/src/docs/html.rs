//! Writing HTML: escaping, the frame of a page, and the little Markdown that the document's texts use.

use std::fmt::Write as _;

/// Text as it stands inside an element or a quoted attribute.
pub(super) fn esc(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => output.push_str("&amp;"),
            '<' => output.push_str("&lt;"),
            '>' => output.push_str("&gt;"),
            '"' => output.push_str("&quot;"),
            c => output.push(c),
        }
    }
    output
}

/// A whole page around `body`.
pub(super) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"es\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/docs/docs.css\">\n\
         <script type=\"module\" src=\"/docs/docs.js\"></script>\n</head>\n<body>\n{body}\n</body>\n</html>\n",
        esc(title)
    )
}

/// Paragraphs, lists (`- `, `1. `), `## ` headings, and inside them code, bold and links.
pub(super) fn markdown(text: &str) -> String {
    let mut output = String::new();
    let mut list: Option<&str> = None;
    for line in text.lines() {
        let (brand, rest) = class(line);
        if brand != list {
            if let Some(open) = list.take() {
                let _ = writeln!(output, "</{open}>");
            }
            if let Some(new) = brand {
                let _ = writeln!(output, "<{new}>");
                list = brand;
            }
        }
        let _ = match (brand, rest.strip_prefix("## ")) {
            (Some(_), _) => writeln!(output, "<li>{}</li>", inline(rest)),
            (None, Some(title)) => writeln!(output, "<h3>{}</h3>", inline(title)),
            (None, None) if rest.is_empty() => Ok(()),
            (None, None) => writeln!(output, "<p>{}</p>", inline(rest)),
        };
    }
    if let Some(open) = list {
        let _ = writeln!(output, "</{open}>");
    }
    output
}

/// The kind of list a line belongs to, and the line without its mark.
fn class(line: &str) -> (Option<&'static str>, &str) {
    if let Some(rest) = line.strip_prefix("- ") {
        return (Some("ul"), rest);
    }
    match line.split_once(". ") {
        Some((n, rest)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => (Some("ol"), rest),
        _ => (None, line),
    }
}

fn inline(text: &str) -> String {
    let mut output = String::new();
    for (n, chunk) in text.split('`').enumerate() {
        if n % 2 == 1 {
            let _ = write!(output, "<code>{}</code>", esc(chunk));
        } else {
            output.push_str(&links(&bolds(&esc(chunk))));
        }
    }
    output
}

fn bolds(text: &str) -> String {
    let chunks: Vec<&str> = text.split("**").collect();
    let with_brand =
        |(n, t): (usize, &&str)| if n % 2 == 1 { format!("<strong>{t}</strong>") } else { (*t).to_owned() };
    chunks.iter().enumerate().map(with_brand).collect()
}

/// `[words](/address)`, for addresses of this server only.
fn links(text: &str) -> String {
    let mut output = String::new();
    let mut rest = text;
    while let Some((before, since)) = rest.split_once('[') {
        output.push_str(before);
        match since.split_once("](/").and_then(|(words, d)| Some((words, d.split_once(')')?))) {
            Some((words, (destination, after))) => {
                let _ = write!(output, "<a href=\"/{destination}\">{words}</a>");
                rest = after;
            }
            None => {
                output.push('[');
                rest = since;
            }
        }
    }
    output + rest
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
