//! Writing HTML: escaping, the frame of a page, and the Markdown that the document's texts use.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html::push_html};

/// Text escaped for an element or a quoted attribute.
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

/// The texts of the document as HTML. Headings of level 2 become level 3, because the page uses level 2 itself.
pub(super) fn markdown(text: &str) -> String {
    let lower = |level| if level == HeadingLevel::H2 { HeadingLevel::H3 } else { level };
    let events = Parser::new(text).map(|event| match event {
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Event::Start(Tag::Heading { level: lower(level), id, classes, attrs })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        event => event,
    });
    let mut output = String::new();
    push_html(&mut output, events);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_markdown_we_write_becomes_html() {
        let html = markdown("Uno `a<b>` y **dos**, ver [/docs](/docs).\n\n## T\n\n- x\n- y\n\n1. z");
        assert_eq!(
            html,
            "<p>Uno <code>a&lt;b&gt;</code> y <strong>dos</strong>, ver <a href=\"/docs\">/docs</a>.</p>\n\
             <h3>T</h3>\n<ul>\n<li>x</li>\n<li>y</li>\n</ul>\n<ol>\n<li>z</li>\n</ol>\n"
        );
    }
}
