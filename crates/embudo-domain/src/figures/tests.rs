use jiff::civil::date;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn lead(created: Timestamp) -> LeadFigures {
    LeadFigures {
        lead: LeadId(Uuid::nil()),
        empresa: EmpresaId(Uuid::nil()),
        created,
        canal: None,
        campaign: None,
        etapa: Etapa::Nuevo,
        united: false,
        contact: None,
        word: None,
        answer: None,
        profile: false,
        visit: false,
        lost: None,
        quotes: Vec::new(),
        stands_for: Vec::new(),
    }
}

fn sums(leads: &[LeadFigures]) -> BTreeMap<Period, Sums> {
    let mut sums = BTreeMap::<Period, Sums>::new();
    for lead in leads {
        let mut changes = BTreeMap::new();
        lead.counted().changes(&Counted::none(), lead.empresa, &mut changes);
        changes.iter().for_each(|(period, counts)| sums.entry(*period).or_default().change(counts));
    }
    sums
}

fn of(sums: &BTreeMap<Period, Sums>, zone: SpanishTimeZone, level: Level, day: Date) -> Sums {
    let period = Period { empresa: EmpresaId(Uuid::nil()), zone, level, day };
    sums.get(&period).cloned().unwrap_or_default()
}

/// The clocks change at 01:00 UTC. In summer a day begins an hour earlier in UTC. In the Canaries it begins an hour
/// later than on the mainland.
#[test]
fn a_day_is_that_of_the_zone_across_both_changes_of_the_clock() {
    let cases = [
        ("2027-03-27T22:59:59Z", date(2027, 3, 27), date(2027, 3, 27)),
        ("2027-03-27T23:00:00Z", date(2027, 3, 28), date(2027, 3, 27)),
        ("2027-03-28T00:00:00Z", date(2027, 3, 28), date(2027, 3, 28)),
        ("2027-03-28T21:59:59Z", date(2027, 3, 28), date(2027, 3, 28)),
        ("2027-03-28T22:00:00Z", date(2027, 3, 29), date(2027, 3, 28)),
        ("2027-03-28T23:00:00Z", date(2027, 3, 29), date(2027, 3, 29)),
        ("2027-10-30T21:59:59Z", date(2027, 10, 30), date(2027, 10, 30)),
        ("2027-10-30T22:00:00Z", date(2027, 10, 31), date(2027, 10, 30)),
        ("2027-10-31T22:59:59Z", date(2027, 10, 31), date(2027, 10, 31)),
        ("2027-10-31T23:00:00Z", date(2027, 11, 1), date(2027, 10, 31)),
    ];
    for (created, madrid, canary) in cases {
        let sums = sums(&[lead(at(created))]);
        for (zone, day) in [(SpanishTimeZone::Madrid, madrid), (SpanishTimeZone::Canary, canary)] {
            assert_eq!(of(&sums, zone, Level::Day, day).leads(), 1, "{created} in {zone}");
            assert_eq!(of(&sums, zone, Level::Month, day.first_of_month()).leads(), 1, "{created} in {zone}");
        }
        assert_eq!(sums.len(), 4);
    }
}

#[test]
fn quotes_count_on_their_own_days() {
    let (came, sent, said) =
        (at("2027-01-31T10:00:00Z"), at("2027-02-01T10:00:00Z"), at("2027-03-01T10:00:00Z"));
    let old = QuoteFigures {
        issued: at("2027-01-31T11:00:00Z"),
        total: Cents(5_000),
        is_orientative: false,
        accepted: None,
    };
    let margin = Some(MarginFigures { base: Cents(10_000), margin: Cents(2_500) });
    let accepted = Some(AcceptedFigures { at: said, total: Cents(12_100), margin });
    let new = QuoteFigures { issued: sent, total: Cents(11_000), is_orientative: true, accepted };
    let sums = sums(&[LeadFigures { quotes: vec![old, new], etapa: Etapa::Aceptado, ..lead(came) }]);
    let month = |n| of(&sums, SpanishTimeZone::Madrid, Level::Month, date(2027, n, 1));
    assert_eq!((month(1).leads(), month(1).issued(), month(1).step(Step::Accepted)), (1, (0, Cents(0)), 1));
    assert_eq!((month(2).leads(), month(2).issued()), (0, (1, Cents(11_000))), "the last version alone");
    assert_eq!((month(1).orientative().0, month(2).orientative()), (0, (1, Cents(11_000))));
    assert_eq!(
        (month(3).accepted(), month(3).margin()),
        ((1, Cents(12_100)), (1, Cents(10_000), Cents(2_500)))
    );
    assert_eq!(month(1).wait(Wait::Quote).count, 1);
    let days = month(1).wait(Wait::Decision).median / 86_400;
    assert!((27..=29).contains(&days), "{days}");
}

#[test]
fn a_lead_that_another_stands_for_counts_with_its_quotes_alone() {
    let quote = QuoteFigures {
        issued: at("2027-02-01T10:00:00Z"),
        total: Cents(5_000),
        is_orientative: false,
        accepted: None,
    };
    let united = LeadFigures { united: true, quotes: vec![quote], ..lead(at("2027-01-31T10:00:00Z")) };
    let sums = sums(&[united]);
    assert!(of(&sums, SpanishTimeZone::Madrid, Level::Month, date(2027, 1, 1)).is_empty());
    assert_eq!(
        of(&sums, SpanishTimeZone::Madrid, Level::Month, date(2027, 2, 1)).issued(),
        (1, Cents(5_000))
    );
}

#[test]
fn names_from_outside_are_bounded_and_all_are_counted() {
    let many = |n: usize| {
        let campaign = Some(format!("c{n}"));
        LeadFigures {
            campaign,
            lost: Some((at("2027-01-31T10:00:00Z"), format!("r {n}"))),
            ..lead(at("2027-01-31T10:00:00Z"))
        }
    };
    let leads: Vec<LeadFigures> = (0..500).map(many).collect();
    let sums = sums(&leads);
    let day = of(&sums, SpanishTimeZone::Madrid, Level::Day, date(2027, 1, 31));
    assert_eq!((day.campaigns().len(), day.lost().len()), (MAX_NAMES + 1, MAX_NAMES + 1));
    assert_eq!(day.campaigns().iter().map(|share| share.leads).sum::<i64>(), 500);
    assert_eq!(day.lost().iter().map(|(_, n)| n).sum::<i64>(), 500);
    let top = Share::top(day.campaigns(), 8);
    assert_eq!((top.len(), top[8].leads), (9, 492));
    assert_eq!(name("  a\n b\u{0} c "), "a b c");
    assert_eq!(name(&"ñ".repeat(500)).chars().count(), MAX_NAME);
}

#[test]
fn a_range_is_typed_as_days() {
    let range = Range::parse("2027-01-15", "2027-03-31").expect("a range");
    assert_eq!(range.months(), [date(2027, 1, 1), date(2027, 2, 1), date(2027, 3, 1)]);
    assert!(!range.holds_month(date(2027, 1, 1)) && range.holds_month(date(2027, 3, 1)));
    assert_eq!(range.within(date(2027, 1, 1)).days(), 17);
    assert_eq!(range.days(), 76);
    let weeks = range.last_weeks(3);
    assert_eq!(weeks[2], Range { from: date(2027, 3, 29), to: date(2027, 3, 31) });
    assert_eq!(weeks[0], Range { from: date(2027, 3, 15), to: date(2027, 3, 21) });
    assert_eq!(range.last_weeks(99).first().map(|week| week.from), Some(range.from));
    for (from, to, mistake) in [
        ("", "2027-01-01", RangeMistake::From),
        ("2027-02-29", "2027-03-01", RangeMistake::From),
        ("2027-01-01", "mañana", RangeMistake::To),
        ("2027-01-01", "9999-01-01", RangeMistake::To),
        ("2027-01-02", "2027-01-01", RangeMistake::Backwards),
        ("2020-01-01", "2027-01-01", RangeMistake::TooLong),
    ] {
        assert_eq!(Range::parse(from, to), Err(mistake), "{from} {to}");
    }
    let today = date(2027, 3, 31);
    assert_eq!(Range::last_month(today), Range { from: date(2027, 2, 1), to: date(2027, 2, 28) });
    assert_eq!(Range::ninety_days(today).days(), 90);
    assert_eq!(Range::this_year(today).from, date(2027, 1, 1));
    assert_eq!(Range::this_month(today).days(), 31);
    let wednesday = date(2026, 11, 18);
    assert_eq!(Range::this_week(wednesday), Range { from: date(2026, 11, 16), to: wednesday });
}

fn any_lead() -> impl Strategy<Value = LeadFigures> {
    let times = (0..40_000_000_i64, any::<u8>(), 0..5_000_000_i64);
    (times, 0..Etapa::WORDS.len(), 0..6_usize, 0..200_u32).prop_map(
        |((secs, flags, later), etapa, canal, campaign)| {
            let created = Timestamp::from_second(1_800_000_000 + secs).expect("in range");
            let then = created + jiff::SignedDuration::from_secs(later);
            let is = |bit: u8| flags & (1 << bit) != 0;
            let accepted = is(1).then_some(AcceptedFigures { at: then, total: Cents(later), margin: None });
            let quote = QuoteFigures { issued: then, total: Cents(later), is_orientative: false, accepted };
            LeadFigures {
                etapa: Etapa::all().nth(etapa).expect("an etapa"),
                canal: CanalOrigen::WORDS.get(canal).and_then(|word| CanalOrigen::parse(word)),
                campaign: (campaign > 0).then(|| format!("campaña {campaign}")),
                united: is(0),
                quotes: if is(2) { vec![quote] } else { vec![] },
                contact: is(3).then_some(then),
                lost: is(4).then(|| (then, format!("{later}"))),
                ..lead(created)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_come_to_the_whole(leads in proptest::collection::vec(any_lead(), 0..200)) {
        for sums in sums(&leads).values() {
            let all = sums.leads();
            prop_assert_eq!(Etapa::all().map(|etapa| sums.etapa(etapa)).sum::<i64>(), all);
            prop_assert_eq!(sums.canales().iter().map(|share| share.leads).sum::<i64>(), all);
            prop_assert_eq!(sums.campaigns().iter().map(|share| share.leads).sum::<i64>(), all);
            let accepted = sums.canales().iter().map(|share| share.accepted).sum::<i64>();
            prop_assert_eq!(accepted, sums.step(Step::Accepted));
        }
    }

    /// Holds in any order, and also for names that were counted under `OTHERS`.
    #[test]
    fn what_was_counted_can_be_taken_back(
        leads in proptest::collection::vec(any_lead(), 0..300),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 300),
    ) {
        let mut sums = sums(&leads);
        let mut left = leads;
        for index in order {
            if left.is_empty() {
                break;
            }
            let gone = left.swap_remove(index.index(left.len()));
            let mut changes = BTreeMap::new();
            Counted::none().changes(&gone.counted(), gone.empresa, &mut changes);
            for (period, counts) in changes {
                let sum = sums.get_mut(&period).expect("it was counted");
                sum.change(&counts);
                let kept: Counts = serde_json::from_value(serde_json::to_value(&sum).expect("JSON")).expect("counts");
                prop_assert!(kept.values().all(|n| *n > 0), "{:?}", kept);
            }
        }
        prop_assert!(sums.values().all(Sums::is_empty));
    }
}
