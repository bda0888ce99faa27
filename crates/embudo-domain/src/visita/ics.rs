//! Visits in the iCalendar format (RFC 5545, RFC 5546). Every time is in UTC, so that no time zone definition has to be
//! included.

use jiff::Timestamp;

/// What a calendar program is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalendarMethod {
    /// Add or change the event.
    Request,
    /// Remove the event, for everybody or for one attendee.
    Cancel,
}

impl CalendarMethod {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "REQUEST",
            Self::Cancel => "CANCEL",
        }
    }
}

/// The status of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IcsStatus {
    Confirmed,
    Cancelled,
    /// The visit takes place without this attendee; the cancellation must then carry no status (RFC 5546, 3.2.5).
    Unsaid,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attendee {
    pub nombre: String,
    pub email: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IcsEvent {
    /// Never changes.
    pub uid: String,
    pub sequence: u32,
    /// When it last changed.
    pub stamp: Timestamp,
    pub start: Timestamp,
    pub end: Timestamp,
    pub summary: String,
    pub location: String,
    pub description: String,
    pub url: Option<String>,
    pub organizer: Option<Attendee>,
    /// The attendee is not asked to answer.
    pub attendee: Option<Attendee>,
    pub status: IcsStatus,
}

/// The maximum length of a line in octets, without its line break.
const LINE: usize = 75;

/// A whole calendar. `name` is the name of a subscribed calendar, which asks nobody for an answer and so has no method.
pub fn calendar(method: Option<CalendarMethod>, name: Option<&str>, events: &[IcsEvent]) -> String {
    let mut lines = Lines::default();
    lines.add("BEGIN:VCALENDAR");
    lines.add("VERSION:2.0");
    lines.add("PRODID:-//Embudo//Visitas//ES");
    lines.add("CALSCALE:GREGORIAN");
    if let Some(method) = method {
        lines.add(&format!("METHOD:{}", method.as_str()));
    }
    if let Some(name) = name {
        lines.text("X-WR-CALNAME", name);
        lines.add("REFRESH-INTERVAL;VALUE=DURATION:PT15M");
        lines.add("X-PUBLISHED-TTL:PT15M");
    }
    events.iter().for_each(|event| event.write(&mut lines));
    lines.add("END:VCALENDAR");
    lines.0
}

impl IcsEvent {
    fn write(&self, lines: &mut Lines) {
        lines.add("BEGIN:VEVENT");
        lines.text("UID", &self.uid);
        lines.add(&format!("SEQUENCE:{}", self.sequence));
        lines.add(&format!("DTSTAMP:{}", utc(self.stamp)));
        lines.add(&format!("DTSTART:{}", utc(self.start)));
        lines.add(&format!("DTEND:{}", utc(self.end)));
        lines.text("SUMMARY", &self.summary);
        if !self.location.is_empty() {
            lines.text("LOCATION", &self.location);
        }
        if !self.description.is_empty() {
            lines.text("DESCRIPTION", &self.description);
        }
        if let Some(url) = &self.url {
            lines.add(&format!("URL:{}", uri(url)));
        }
        if let Some(organizer) = &self.organizer {
            lines.add(&format!(
                "ORGANIZER;CN={}:mailto:{}",
                quoted(&organizer.nombre),
                uri(&organizer.email)
            ));
        }
        if let Some(attendee) = &self.attendee {
            lines.add(&format!(
                "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE;CN={}:mailto:{}",
                quoted(&attendee.nombre),
                uri(&attendee.email)
            ));
        }
        let status_lines: &[&str] = match self.status {
            IcsStatus::Confirmed => &["STATUS:CONFIRMED", "TRANSP:OPAQUE"],
            IcsStatus::Cancelled => &["STATUS:CANCELLED", "TRANSP:TRANSPARENT"],
            IcsStatus::Unsaid => &[],
        };
        status_lines.iter().for_each(|line| lines.add(line));
        lines.add("END:VEVENT");
    }
}

/// Lines of at most 75 octets that end in CR LF. A longer line continues on the next one, after a space.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn text(&mut self, name: &str, value: &str) {
        self.add(&format!("{name}:{}", escaped(value)));
    }

    fn add(&mut self, line: &str) {
        let mut used = 0;
        for letter in line.chars() {
            if used + letter.len_utf8() > LINE {
                self.0.push_str("\r\n ");
                used = 1;
            }
            self.0.push(letter);
            used += letter.len_utf8();
        }
        self.0.push_str("\r\n");
    }
}

fn utc(at: Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\\' | ';' | ',' => out.extend(['\\', letter]),
            '\n' | '\r' => out.push_str("\\n"),
            '\t' => out.push(' '),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

/// The value of a parameter. It cannot contain quotes.
fn quoted(text: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    format!("\"{}\"", text.chars().map(plain).collect::<String>().trim())
}

/// An address without any character that could end its line.
fn uri(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !c.is_whitespace() && *c != '"').collect()
}
