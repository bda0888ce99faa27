use jiff::civil::{date, datetime};

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn visita() -> Visita {
    let id = uuid::Uuid::from_u128(7);
    Visita {
        id: VisitaId(id),
        lead: LeadId(id),
        empresa: EmpresaId(id),
        state: VisitaState::Propuesta,
        revision: 1,
        sequence: 0,
        slots: vec![at("2027-03-01T09:00:00Z"), at("2027-03-02T09:00:00Z")],
        start: None,
        minutes: 60,
        address: "Calle Mayor 1".into(),
        people: vec![UserId(id)],
        notes: String::new(),
        measurements: String::new(),
        creada_en: at("2027-02-01T09:00:00Z"),
        cambiada_en: at("2027-02-01T09:00:00Z"),
        cancelled: None,
    }
}

/// The agenda of a person who works at every hour of every day.
fn always() -> Agenda {
    let whole = vec![WorkSpan { from: 0, to: 24 * 60 - 1 }];
    Agenda { week: std::array::from_fn(|_| whole.clone()), buffer: 0, days_off: vec![] }
}

fn search(zone: SpanishTimeZone, from: &str) -> SlotSearch {
    SlotSearch { zone, from: at(from), minutes: 60, days: 2, most: 12, of_a_day: 200 }
}

#[test]
fn a_visit_goes_from_its_proposal_to_its_end() {
    let now = at("2027-02-20T10:00:00Z");
    let (one, other) = (visita().slots[0], visita().slots[1]);
    assert_eq!(visita().pick(at("2027-03-03T09:00:00Z"), now), Err(VisitaError::NotProposed));
    assert_eq!(visita().pick(one, at("2027-03-01T09:00:00Z")), Err(VisitaError::OutOfReach));
    // A slot that people propose is offered as they typed it, until it begins.
    let late = at("2027-03-01T08:59:59Z");
    assert!(visita().propose(&[one, other], late).is_ok());
    assert_eq!(visita().open_slots(late).collect::<Vec<_>>(), [one, other]);
    assert_eq!(visita().open_slots(one).collect::<Vec<_>>(), [other]);
    assert!(visita().pick(one, late).is_ok());
    let agreed = visita().pick(one, now).expect("it is picked");
    assert_eq!((agreed.state, agreed.start, agreed.sequence), (VisitaState::Confirmada, Some(one), 0));
    assert!(agreed.is_ahead(now) && !agreed.is_ahead(at("2027-03-01T10:00:00Z")));
    assert!(!agreed.is_over(now) && agreed.is_over(at("2027-03-01T10:00:00Z")) && !visita().is_over(now));
    let notice = VisitSettings::default().notice();
    let move_at = |now: &str| agreed.clone().move_by_client(other, at(now), notice).map(|moved| moved.start);
    assert_eq!(move_at("2027-03-01T09:00:01Z"), Err(VisitaError::TooSoon));
    assert_eq!(move_at("2027-03-01T09:00:00Z"), Ok(Some(other)), "it can be changed once more");
    assert_eq!(VisitSettings { client_limit_hours: 0, ..VisitSettings::default() }.notice(), NOTICE);
    assert_eq!(agreed.clone().pick(other, now), Err(VisitaError::State(VisitaState::Confirmada)));
    let moved = agreed.clone().agree(other, now).expect("it moves");
    assert_eq!((moved.start, moved.sequence), (Some(other), 1));
    assert_eq!(moved.clone().end_as(VisitaState::Realizada, now), Err(VisitaError::NotYet));
    let done = moved.clone().end_as(VisitaState::Realizada, other).expect("it was made");
    assert_eq!(done.clone().cancel(None, now), Err(VisitaError::State(VisitaState::Realizada)));
    assert_eq!(
        done.end_as(VisitaState::NoPresentado, other).expect("corrected").state,
        VisitaState::NoPresentado
    );
    let by = Some(UserId(uuid::Uuid::from_u128(8)));
    let gone = moved.cancel(by, now).expect("it is cancelled");
    assert_eq!((gone.state, gone.sequence), (VisitaState::Cancelada, 2));
    assert_eq!(gone.cancelled, Some(Cancelled { at: now, by }));
    assert_eq!(gone.propose(&[one], now), Err(VisitaError::State(VisitaState::Cancelada)));
}

#[test]
fn proposals_are_bounded_sorted_and_ahead() {
    let now = at("2027-02-20T10:00:00Z");
    let many: Vec<Timestamp> = (0..40).rev().map(|n| now + SignedDuration::from_hours(24 + n)).collect();
    let proposed = visita().propose(&many, now).expect("proposed");
    assert_eq!(proposed.slots.len(), MAX_SLOTS);
    assert!(proposed.slots.is_sorted());
    assert_eq!(visita().propose(&[], now), Err(VisitaError::NoSlots));
    assert_eq!(visita().propose(&[now], now), Err(VisitaError::OutOfReach));
    assert_eq!(visita().propose(&[now + HORIZON * 2], now), Err(VisitaError::OutOfReach));
    assert_eq!(visita().agree(Timestamp::MAX, now), Err(VisitaError::OutOfReach));
}

#[test]
fn a_client_changes_it_until_the_limit() {
    let now = at("2027-02-20T10:00:00Z");
    let day = VisitSettings::default().client_limit();
    let agreed = visita().pick(visita().slots[0], now).expect("picked");
    assert_eq!(agreed.may_client_change(at("2027-02-28T09:00:00Z"), day), Ok(()));
    assert_eq!(agreed.may_client_change(at("2027-02-28T09:00:01Z"), day), Err(VisitaError::TooLate));
    assert_eq!(visita().may_client_change(now, day), Ok(()));
}

#[test]
fn zones_come_from_the_address_and_from_nowhere_else() {
    let cases = [
        (None, SpanishTimeZone::Madrid),
        (Some("Calle Mayor 1, 28013 Madrid"), SpanishTimeZone::Madrid),
        (Some("Avenida Marítima 3, 38003 Santa Cruz de Tenerife"), SpanishTimeZone::Canary),
        (Some("Calle León 12345, 35001 Las Palmas"), SpanishTimeZone::Canary),
        (Some("Triana 4, Las Palmas"), SpanishTimeZone::Canary),
        (Some("Calle de Canarias 7, Madrid"), SpanishTimeZone::Madrid),
    ];
    for (address, zone) in cases {
        assert_eq!(SpanishTimeZone::of_address(address), zone, "{address:?}");
    }
    let instant = at("2027-07-01T10:00:00Z");
    assert_eq!(SpanishTimeZone::Madrid.long(instant), "jueves 1 de julio de 2027, a las 12:00");
    assert_eq!(SpanishTimeZone::Canary.short(instant), "jue 1 jul, 11:00");
}

/// Spring: on the mainland the clock goes from 2:00 to 3:00, in the Canaries from 1:00 to 2:00, at the same instant.
#[test]
fn an_hour_that_does_not_exist_is_never_proposed() {
    for (zone, missing, before) in [
        (SpanishTimeZone::Madrid, datetime(2027, 3, 28, 2, 30, 0, 0), datetime(2027, 3, 28, 1, 30, 0, 0)),
        (SpanishTimeZone::Canary, datetime(2027, 3, 28, 1, 30, 0, 0), datetime(2027, 3, 28, 0, 30, 0, 0)),
    ] {
        assert_eq!(zone.at(missing), LocalTime::Never);
        assert!(matches!(zone.at(before), LocalTime::At(_)));
        let short = SlotSearch { minutes: 30, days: 1, ..search(zone, "2027-03-28T00:00:00Z") };
        let from = SlotSearch {
            from: zone.begins(date(2027, 3, 28)) - SignedDuration::from_hours(2),
            days: 2,
            ..short
        };
        let free = slots(&from, &[always()], &[]);
        let local: Vec<_> = free.iter().map(|slot| zone.local(*slot)).collect();
        assert!(!local.contains(&missing), "{local:?}");
        // The starts are in order and at least half an hour apart, so none occurs twice.
        assert!(free.windows(2).all(|pair| pair[0].duration_until(pair[1]).as_mins() >= 30), "{local:?}");
    }
    assert_eq!(
        SpanishTimeZone::Madrid
            .begins(date(2027, 3, 29))
            .duration_since(SpanishTimeZone::Madrid.begins(date(2027, 3, 28)))
            .as_hours(),
        23
    );
}

/// Autumn: the clock shows the hour from 2:00 (in the Canaries from 1:00) twice.
#[test]
fn an_hour_that_comes_twice_is_one_slot() {
    for (zone, twice, first) in [
        (SpanishTimeZone::Madrid, datetime(2027, 10, 31, 2, 30, 0, 0), "2027-10-31T00:30:00Z"),
        (SpanishTimeZone::Canary, datetime(2027, 10, 31, 1, 30, 0, 0), "2027-10-31T00:30:00Z"),
    ] {
        assert_eq!(zone.at(twice), LocalTime::Twice(at(first)));
        let from = SlotSearch {
            from: at("2027-10-30T21:00:00Z"),
            minutes: 30,
            ..search(zone, "2027-10-30T21:00:00Z")
        };
        let free = slots(&from, &[always()], &[]);
        let shown = free.iter().filter(|slot| zone.local(**slot) == twice).count();
        assert_eq!(shown, 1, "{:?}", free.iter().map(|slot| zone.local(*slot)).collect::<Vec<_>>());
    }
    assert_eq!(
        SpanishTimeZone::Canary
            .begins(date(2027, 11, 1))
            .duration_since(SpanishTimeZone::Canary.begins(date(2027, 10, 31)))
            .as_hours(),
        25
    );
}

#[test]
fn the_same_hour_of_the_wall_across_both_changes() {
    let weekdays =
        Agenda { week: std::array::from_fn(|_| vec![WorkSpan { from: 600, to: 660 }]), ..always() };
    for (zone, from) in [
        (SpanishTimeZone::Madrid, "2027-03-27T00:00:00Z"),
        (SpanishTimeZone::Canary, "2027-03-27T00:00:00Z"),
        (SpanishTimeZone::Madrid, "2027-10-30T00:00:00Z"),
        (SpanishTimeZone::Canary, "2027-10-30T00:00:00Z"),
    ] {
        let found =
            slots(&SlotSearch { days: 3, ..search(zone, from) }, std::slice::from_ref(&weekdays), &[]);
        let hours: Vec<String> = found.iter().map(|slot| zone.hour(*slot)).collect();
        assert_eq!(hours, ["10:00", "10:00", "10:00"], "{zone} {from}");
        let apart: Vec<i64> =
            found.windows(2).map(|pair| pair[0].duration_until(pair[1]).as_hours()).collect();
        assert!(apart.contains(&24) && apart.iter().any(|hours| [23, 25].contains(hours)), "{apart:?}");
    }
}

#[test]
fn slots_keep_hours_buffers_days_off_and_everybody_in_mind() {
    let zone = SpanishTimeZone::Madrid;
    let monday = at("2027-02-01T05:00:00Z");
    let default = Agenda::default();
    let found = slots(
        &SlotSearch { from: monday, days: 1, ..search(zone, "2027-02-01T05:00:00Z") },
        std::slice::from_ref(&default),
        &[],
    );
    assert_eq!(
        (zone.hour(found[0]), zone.hour(*found.last().expect("some"))),
        ("9:00".into(), "17:00".into())
    );
    // A visit from 10 to 11, with half an hour before and after it.
    let taken =
        Busy { visita: visita().id, start: at("2027-02-01T09:00:00Z"), end: at("2027-02-01T10:00:00Z") };
    let one_day = SlotSearch { days: 1, ..search(zone, "2027-02-01T05:00:00Z") };
    let hours = |agendas: &[Agenda]| -> Vec<String> {
        slots(&one_day, agendas, &[taken]).iter().map(|slot| zone.hour(*slot)).collect()
    };
    assert_eq!(hours(std::slice::from_ref(&default))[0], "11:30");
    // Two people: only the hours that both have in common.
    let late = Agenda {
        week: std::array::from_fn(|_| vec![WorkSpan { from: 17 * 60, to: 20 * 60 }]),
        ..Agenda::default()
    };
    assert_eq!(hours(&[default.clone(), late]), ["17:00", "17:30", "18:00"]);
    let off = Agenda {
        days_off: vec![DaysOff { from: date(2027, 1, 30), to: date(2027, 2, 1) }],
        ..default.clone()
    };
    assert_eq!(hours(&[off]), Vec::<String>::new());
    assert_eq!(slots(&one_day, &[], &[]), vec![]);
    // Only a few slots of each day.
    let week = slots(&SlotSearch { days: 7, of_a_day: 3, ..one_day }, std::slice::from_ref(&default), &[]);
    let days: Vec<_> = week.iter().map(|slot| zone.day(*slot)).collect();
    assert_eq!((week.len(), days.iter().filter(|day| **day == date(2027, 2, 1)).count()), (12, 3));
    // `is_on_offer` accepts every start that `slots` returned, and those that `slots` left out because of the limit
    // per day. It refuses starts off the half-hour grid, outside working hours, before the search begins, and after
    // its last day.
    let asked = SlotSearch { days: 7, ..one_day };
    assert!(week.iter().all(|slot| is_on_offer(&asked, std::slice::from_ref(&default), *slot)));
    for (start, is) in [
        ("2027-02-01T08:30:00Z", true),
        ("2027-02-01T08:37:33Z", false),
        ("2027-02-01T08:45:00Z", false),
        ("2027-02-01T13:00:00Z", false),
        ("2027-02-07T09:00:00Z", false),
        ("2027-02-05T09:00:00Z", true),
        ("2027-02-08T09:00:00Z", false),
        ("2027-01-29T09:00:00Z", false),
    ] {
        assert_eq!(is_on_offer(&asked, std::slice::from_ref(&default), at(start)), is, "{start}");
    }
    let soon = SlotSearch { from: at("2027-02-01T09:00:00Z"), ..asked };
    assert!(!is_on_offer(&soon, std::slice::from_ref(&default), at("2027-02-01T08:30:00Z")));
    assert!(is_on_offer(&soon, std::slice::from_ref(&default), at("2027-02-01T09:00:00Z")));
    assert!(is_within_hours(zone, week[0], 60, std::slice::from_ref(&default)));
    assert!(!is_within_hours(zone, at("2027-02-01T12:30:00Z"), 60, std::slice::from_ref(&default)));
    assert!(slots(&SlotSearch { from: Timestamp::MAX, ..one_day }, &[default], &[]).is_empty());
}

#[test]
fn reminders_go_out_the_day_before_at_decent_hours() {
    let now = at("2027-03-20T00:00:00Z");
    let cases = [
        (SpanishTimeZone::Madrid, "2027-03-25T09:00:00Z", "2027-03-24T09:00:00Z"),
        // At 8 in the morning: the day before at 9. At 21: the day before at 20.
        (SpanishTimeZone::Madrid, "2027-03-25T07:00:00Z", "2027-03-24T08:00:00Z"),
        (SpanishTimeZone::Madrid, "2027-03-25T20:00:00Z", "2027-03-24T19:00:00Z"),
        // The clocks change in between: the reminder is at the same local time.
        (SpanishTimeZone::Madrid, "2027-03-28T08:00:00Z", "2027-03-27T09:00:00Z"),
        (SpanishTimeZone::Canary, "2027-03-28T09:00:00Z", "2027-03-27T10:00:00Z"),
    ];
    for (zone, start, expected) in cases {
        assert_eq!(reminder_at(zone, at(start), now), Some(at(expected)), "{zone} {start}");
    }
    assert_eq!(reminder_at(SpanishTimeZone::Madrid, at("2027-03-20T09:00:00Z"), now), None);
    assert_eq!(SpanishTimeZone::Madrid.until_decent_hour(at("2027-03-20T12:00:00Z")), None);
    assert_eq!(
        SpanishTimeZone::Madrid
            .until_decent_hour(at("2027-03-20T22:00:00Z"))
            .as_ref()
            .map(SignedDuration::as_hours),
        Some(10)
    );
    assert_eq!(
        SpanishTimeZone::Madrid
            .until_decent_hour(at("2027-03-20T05:00:00Z"))
            .as_ref()
            .map(SignedDuration::as_hours),
        Some(3)
    );
}

#[test]
fn hours_and_days_off_are_read_as_people_write_them() {
    let spans = Agenda::read_hours("16–19h, 9:00 - 14:00").expect("hours");
    assert_eq!(spans, [WorkSpan { from: 540, to: 840 }, WorkSpan { from: 960, to: 1140 }]);
    assert_eq!(Agenda::default().write_hours(0), "9:00-14:00, 16:00-19:00");
    assert_eq!(Agenda::read_hours(&Agenda::default().write_hours(0)), Ok(Agenda::default().week[0].clone()));
    assert_eq!(Agenda::read_hours("  "), Ok(vec![]));
    for wrong in ["9", "14-9", "9-25", "9-12, 11-13", "x-y", "1-2,3-4,5-6,7-8,9-10"] {
        assert_eq!(Agenda::read_hours(wrong), Err(AgendaMistake::Hours), "{wrong}");
    }
    let off = Agenda::read_days_off("24/12/2026 - 31/12/2026\n\n2027-01-06\n").expect("days");
    assert_eq!(off.len(), 2);
    let agenda = Agenda { days_off: off, ..Agenda::default() };
    assert_eq!(agenda.write_days_off(), "24/12/2026 - 31/12/2026\n06/01/2027");
    for wrong in ["mañana", "31/12/2026 - 24/12/2026", "30/2/2026", "1/1/26"] {
        assert_eq!(Agenda::read_days_off(wrong), Err(AgendaMistake::DaysOff), "{wrong}");
    }
    assert_eq!(
        (Agenda::read_buffer(" 30 "), Agenda::read_buffer("300")),
        (Ok(30), Err(AgendaMistake::Buffer))
    );
    let kept = serde_json::to_string(&agenda).expect("JSON");
    assert_eq!(serde_json::from_str::<Agenda>(&kept).expect("reads back"), agenda);
}

#[test]
fn calendars_get_folded_escaped_lines_in_utc() {
    let start = at("2027-03-28T08:00:00Z");
    let event = IcsEvent {
        uid: "7@embudo".into(),
        sequence: 3,
        stamp: at("2027-02-01T09:00:00.123456Z"),
        start,
        end: start + SignedDuration::from_hours(1),
        summary: "Visita; baño, 5 m²\r\nBEGIN:VEVENT".into(),
        location: "ñ".repeat(100),
        description: "a\\b\u{7}".into(),
        url: Some("https://ejemplo.es/v/x\r\ny".into()),
        organizer: Some(Attendee {
            nombre: "Reformas \"Peña\"".into(), email: "a@ejemplo.es\r\nX:1".into()
        }),
        attendee: Some(Attendee { nombre: "Ana".into(), email: "ana@ejemplo.es".into() }),
        status: IcsStatus::Confirmed,
    };
    let text = calendar(Some(CalendarMethod::Request), None, std::slice::from_ref(&event));
    assert!(text.split("\r\n").all(|line| line.len() <= 75 && !line.contains(['\r', '\n'])), "{text}");
    assert_eq!(text.replace("\r\n", "").matches(['\r', '\n']).count(), 0);
    let unfolded = text.replace("\r\n ", "");
    for line in [
        "METHOD:REQUEST",
        "UID:7@embudo",
        "SEQUENCE:3",
        "DTSTAMP:20270201T090000Z",
        "DTSTART:20270328T080000Z",
        "SUMMARY:Visita\\; baño\\, 5 m²\\nBEGIN:VEVENT",
        "DESCRIPTION:a\\\\b",
        "URL:https://ejemplo.es/v/xy",
        "ORGANIZER;CN=\"Reformas 'Peña'\":mailto:a@ejemplo.esX:1",
        "STATUS:CONFIRMED",
    ] {
        assert!(unfolded.split("\r\n").any(|l| l == line), "{line} in {unfolded}");
    }
    assert!(unfolded.contains("RSVP=FALSE"));
    assert_eq!(unfolded.matches("\r\nBEGIN:VEVENT").count(), 1);
    let gone = IcsEvent { status: IcsStatus::Cancelled, ..event.clone() };
    let cancel = calendar(Some(CalendarMethod::Cancel), None, &[gone]);
    assert!(cancel.contains("METHOD:CANCEL") && cancel.contains("STATUS:CANCELLED"));
    let off = IcsEvent { status: IcsStatus::Unsaid, ..event.clone() };
    let off = calendar(Some(CalendarMethod::Cancel), None, &[off]);
    assert!(off.contains("METHOD:CANCEL") && !off.contains("STATUS"), "{off}");
    assert!(!calendar(None, Some("Visitas"), &[event]).contains("METHOD"), "it is followed");
}

#[test]
fn what_a_company_kept_reads_with_defaults() {
    let kept: VisitSettings = serde_json::from_str(r#"{"zona":"Atlantic/Canary"}"#).expect("reads");
    assert_eq!((kept.zone(None), kept.client_limit_hours), (SpanishTimeZone::Canary, 24));
}
