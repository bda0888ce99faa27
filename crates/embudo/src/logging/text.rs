//! The log as short aligned lines for people: time of day, level, message, fields. There are no module names: the
//! message must say what happened.

use jiff::Zoned;
use std::fmt::{self, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// Formats an event for a terminal.
pub struct TextFormat {
    dim: &'static str,
    plain: &'static str,
    coloured: bool,
}

impl TextFormat {
    /// A format with or without colours.
    pub fn new(coloured: bool) -> Self {
        let (dim, plain) = if coloured { (DIM, PLAIN) } else { ("", "") };
        Self { dim, plain, coloured }
    }

    fn colour(&self, level: Level) -> &'static str {
        match level {
            _ if !self.coloured => "",
            Level::ERROR => "\x1b[31m",
            Level::WARN => "\x1b[33m",
            Level::INFO => "\x1b[32m",
            _ => DIM,
        }
    }
}

impl<S, N> FormatEvent<S, N> for TextFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (dim, plain) = (self.dim, self.plain);
        let level = *event.metadata().level();
        let time = Zoned::now().strftime("%H:%M:%S").to_string();
        write!(out, "{dim}{time}{plain} {}{level:>5}{plain} ", self.colour(level))?;

        let mut parts = Parts::default();
        event.record(&mut parts);
        out.write_str(&parts.message)?;
        if !parts.fields.is_empty() {
            write!(out, "{dim}{}{plain}", parts.fields)?;
        }
        for span in ctx.event_scope().into_iter().flatten() {
            let extensions = span.extensions();
            if let Some(fields) = extensions.get::<FormattedFields<N>>().filter(|fields| !fields.is_empty()) {
                write!(out, " {dim}{fields}{plain}")?;
            }
        }
        writeln!(out)
    }
}

/// The message, separate from the other fields, so that it can come first.
#[derive(Default)]
struct Parts {
    message: String,
    fields: String,
}

impl Parts {
    fn add(&mut self, field: &Field, text: &str) {
        // Whatever is logged, an event stays one line and cannot move the cursor.
        let target = match field.name() {
            "message" => &mut self.message,
            name => {
                let gap = if self.fields.is_empty() { "  " } else { " " };
                let _ = write!(self.fields, "{gap}{name}=");
                &mut self.fields
            }
        };
        for c in text.chars() {
            if c.is_control() { target.extend(c.escape_default()) } else { target.push(c) }
        }
    }
}

impl Visit for Parts {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logging::capture::logged;

    #[test]
    fn a_line_is_time_level_message_fields_and_span() {
        let text = logged(TextFormat::new(false), || {
            let _span = tracing::info_span!("peticion", id = 7).entered();
            tracing::info!(state = 200, path = %"/api/leads", "request served");
            tracing::warn!("two\nlines\x1b[2J");
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert_eq!(&lines[0][8..], "  INFO request served  state=200 path=/api/leads id=7");
        assert_eq!(&lines[1][8..], "  WARN two\\nlines\\u{1b}[2J id=7");
        assert!(lines[0][..8].split(':').all(|part| part.len() == 2 && part.parse::<u8>().is_ok()), "{text}");
    }

    #[test]
    fn colours_come_only_where_they_are_wanted() {
        assert!(!logged(TextFormat::new(false), || tracing::error!("no")).contains('\x1b'));
        assert!(
            logged(TextFormat::new(true), || tracing::error!("yes")).contains("\x1b[31mERROR\x1b[0m yes")
        );
    }
}
