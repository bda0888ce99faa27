//! `/docs/guias`: the guides of the `docs` folder, so that everybody who runs the server can read them there.

use std::fmt::Write as _;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};

use super::html::{esc, page};

/// One guide: where it is, in which language, and its Markdown.
struct Guide {
    /// The guide's file under `docs`, without the ending; this is also its address under `/docs/guias`.
    name: &'static str,
    language: &'static str,
    text: &'static str,
}

macro_rules! guides {
    ($($language:literal: $($name:literal)+;)+) => {
        const GUIDES: &[Guide] = &[$($(Guide {
            name: $name,
            language: $language,
            text: include_str!(concat!("../../../../docs/", $name, ".md")),
        }),+),+];
    };
}

guides! {
    "es": "es/primeros-pasos" "es/bandeja-y-leads" "es/presupuestos-y-precios" "es/visitas-y-obras" "es/formulario-y-avisos"
        "es/resumen" "es/envios" "es/privacidad" "es/n8n";
    "en": "demo" "install" "settings" "operating" "backup" "contract" "mcp" "signals" "form" "quotes" "panel" "visits" "summary"
        "envios" "privacy" "glossary";
}

/// Every address under `/docs/guias`, with its page; the empty one is the list of all.
pub(super) fn render() -> Vec<(&'static str, String)> {
    let guides = GUIDES.iter().map(|guide| (guide.name, guide.page()));
    [("", index())].into_iter().chain(guides).collect()
}

fn index() -> String {
    let mut body = String::from("<h1>Guías</h1>\n");
    for (language, title) in [("es", "Para la empresa"), ("en", "For engineers")] {
        let _ = write!(body, "<section class=\"tarjeta\" lang=\"{language}\"><h2>{title}</h2><ul>");
        for guide in GUIDES.iter().filter(|guide| guide.language == language) {
            let _ = write!(body, "<li><a href=\"{}\">{}</a></li>", address(guide), esc(guide.title()));
        }
        body.push_str("</ul></section>\n");
    }
    framed("es", "Guías", &body)
}

fn framed(language: &str, title: &str, content: &str) -> String {
    let body = format!(
        "<header class=\"cabecera\"><div class=\"marca\"><a href=\"/docs\">API de Embudo</a></div>\
         <a href=\"/docs/guias\">Guías</a></header>\n\
         <main class=\"estrecha texto\" id=\"contenido\" lang=\"{language}\">\n{content}</main>"
    );
    page(&format!("{title} · Embudo"), &body)
}

fn address(guide: &Guide) -> String {
    format!("/docs/guias/{}", guide.name)
}

impl Guide {
    /// The guide's first heading.
    fn title(&self) -> &'static str {
        self.text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or(self.name)
    }

    fn page(&self) -> String {
        let mut events: Vec<Event<'_>> = Parser::new_ext(self.text, Options::ENABLE_TABLES).collect();
        name_headings(&mut events);
        let mut is_dropped = false;
        let events = events.into_iter().filter_map(|event| match event {
            // HTML comments are for people who edit the file.
            Event::Html(_) | Event::InlineHtml(_) => None,
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let found = self.destination(&dest_url);
                is_dropped = found.is_none();
                Some(Event::Start(Tag::Link { link_type, dest_url: found?.into(), title, id }))
            }
            Event::End(TagEnd::Link) if is_dropped => None,
            Event::Start(Tag::Table(_)) => Some(Event::Html("<div class=\"tabla\"><table>".into())),
            Event::End(TagEnd::Table) => Some(Event::Html("</tbody></table></div>".into())),
            event => Some(event),
        });
        let mut content = String::new();
        push_html(&mut content, events);
        framed(self.language, self.title(), &content)
    }

    /// Where a link of this guide leads on this server; `None` for files that only the repository has.
    fn destination(&self, link: &str) -> Option<String> {
        if link.starts_with("https://") || link.starts_with("http://") || link.starts_with('#') {
            return Some(link.to_owned());
        }
        let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
        let name = match file.strip_suffix(".md")? {
            above if above.starts_with("../") && self.name.contains('/') => {
                above.trim_start_matches("../").to_owned()
            }
            beside => match self.name.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/{beside}"),
                None => beside.to_owned(),
            },
        };
        let guide = GUIDES.iter().find(|guide| guide.name == name)?;
        Some(address(guide) + &anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default())
    }
}

/// Gives every heading the id that links in the repository use: its words in small letters, joined by hyphens.
fn name_headings(events: &mut [Event<'_>]) {
    let mut at = 0;
    while at < events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            at += 1;
            continue;
        }
        let inside =
            events[at + 1..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = inside
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(&**text),
                _ => None,
            })
            .collect();
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(CowStr::from(anchor(&words)));
        }
        at += 1;
    }
}

fn anchor(words: &str) -> String {
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_guide_is_listed() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut files = BTreeSet::new();
        for folder in ["", "es/"] {
            for entry in std::fs::read_dir(docs.join(folder)).expect("the folder is there") {
                let name = entry.expect("readable").file_name().into_string().expect("UTF-8");
                if let Some(name) = name.strip_suffix(".md") {
                    files.insert(format!("{folder}{name}"));
                }
            }
        }
        let listed: BTreeSet<String> = GUIDES.iter().map(|guide| guide.name.to_owned()).collect();
        assert_eq!(listed, files);
    }

    #[test]
    fn every_link_between_guides_leads_to_a_heading_that_is_there() {
        let pages = render();
        let mut links = 0;
        for (name, page) in &pages {
            for link in page.split("href=\"/docs/guias/").skip(1).filter_map(|rest| rest.split('"').next()) {
                let (guide, anchor) = link.split_once('#').unwrap_or((link, ""));
                let (_, found) = pages.iter().find(|(name, _)| *name == guide).expect(link);
                assert!(anchor.is_empty() || found.contains(&format!("id=\"{anchor}\"")), "{name} to {link}");
                links += 1;
            }
        }
        assert!(links > 30, "{links}");
    }

    #[test]
    fn a_guide_becomes_a_page() {
        let guide = Guide {
            name: "es/a",
            language: "es",
            text: "# Uno\n<!-- x -->\n\n[n8n](n8n.md), [s](../signals.md#mail), [adr](../adr/0001-x.md), `a<b`\n",
        };
        let page = guide.page();
        assert!(
            page.contains(
                "<h1 id=\"uno\">Uno</h1>\n<p><a href=\"/docs/guias/es/n8n\">n8n</a>, \
             <a href=\"/docs/guias/signals#mail\">s</a>, adr, <code>a&lt;b</code></p>"
            ),
            "{page}"
        );
        assert!(!page.contains("<!-- x"), "{page}");
    }
}
