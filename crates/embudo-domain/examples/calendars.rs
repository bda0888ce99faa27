//! Writes invitations and a followed calendar around both changes of the clock, as one JSON text, for
//! `scripts/test-calendar`.

use embudo_domain::Timestamp;
use embudo_domain::visita::{
    Attendee, CalendarMethod, IcsEvent, IcsStatus, LocalTime, SpanishTimeZone, calendar,
};
use jiff::civil::{DateTime, datetime};
use jiff::{SignedDuration, ToSpan as _};

fn event(zone: SpanishTimeZone, local: DateTime, start: Timestamp, sequence: u32) -> IcsEvent {
    let who = |nombre: &str, email: &str| Some(Attendee { nombre: nombre.into(), email: email.into() });
    IcsEvent {
        uid: format!("{zone}-{local}@embudo"),
        sequence,
        stamp: start - SignedDuration::from_hours(240),
        start,
        end: start + SignedDuration::from_mins(90),
        summary: "Visita; baño, 5 m² «grande» \\ «pequeño»".into(),
        location: "Calle del Doctor Núñez de Balboa 123, 4.º izquierda; 28006 Madrid, España\r\nPortal B"
            .into(),
        description: "Aparcar es difícil.\nMejor en metro, línea 9.".into(),
        url: Some("https://leads.ejemplo.es/v/AgGQobLD1H5fimt8".into()),
        organizer: who("Reformas \"Peña\" & Hijos, S. L.", "embudo@ejemplo.es"),
        attendee: who("Marta Ruiz; Ibáñez", "marta.ruiz@ejemplo.es"),
        status: IcsStatus::Confirmed,
    }
}

fn main() {
    let mut told = Vec::new();
    let mut all = Vec::new();
    for zone in SpanishTimeZone::ALL {
        for change in [datetime(2027, 3, 28, 0, 0, 0, 0), datetime(2027, 10, 31, 0, 0, 0, 0)] {
            for (days, hour) in [(-1, 10), (0, 0), (0, 1), (0, 2), (0, 3), (0, 10), (1, 10)] {
                let local = change.checked_add(days.days().hours(hour)).expect("a day");
                let (LocalTime::At(start) | LocalTime::Twice(start)) = zone.at(local) else { continue };
                let request = event(zone, local, start, 3);
                let later = |status| IcsEvent { sequence: 4, status, ..request.clone() };
                for (method, event) in [
                    (CalendarMethod::Request, request.clone()),
                    (CalendarMethod::Cancel, later(IcsStatus::Cancelled)),
                    // One attendee is removed from the visit, and the visit itself still takes place.
                    (CalendarMethod::Cancel, later(IcsStatus::Unsaid)),
                ] {
                    let text = calendar(Some(method), None, std::slice::from_ref(&event));
                    told.push(serde_json::json!({
                        "zona": zone, "local": local.to_string(), "uid": event.uid, "metodo": method.as_str(),
                        "sigue": event.status == IcsStatus::Unsaid, "texto": text,
                    }));
                }
                all.push(IcsEvent { organizer: None, attendee: None, ..request });
            }
        }
    }
    let feed = calendar(None, Some("Visitas"), &all);
    let out = serde_json::json!({ "invitaciones": told, "calendario": feed, "cuantas": all.len() });
    std::io::Write::write_all(&mut std::io::stdout(), out.to_string().as_bytes()).expect("it is written");
}
