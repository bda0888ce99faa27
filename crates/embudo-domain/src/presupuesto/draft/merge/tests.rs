//! What must hold when two people change one draft.

use proptest::prelude::*;

use super::super::tests::bathroom;
use super::*;
use crate::presupuesto::DiscountValue;
use crate::presupuesto::tests::{TARIFA, base as prices};

/// One change that a person makes: to the nth line, or to the draft.
#[derive(Debug, Clone)]
enum Edit {
    Concepto(usize, String),
    Detail(usize, String),
    Cantidad(usize, i64),
    Precio(usize, i64),
    Coste(usize, i64),
    Discount(usize, i64),
    Optional(usize),
    Remove(usize),
    Add(usize, String),
    Chapter(String),
    Area(i64),
    Off(i64),
    Intro(String),
    Site(String),
    Days(u16),
    Conditions(String),
    Vivienda,
    Contratante,
}

/// A draft of two rooms with a plan of payments, as it is read from the store.
fn begun() -> Draft {
    let lead = bathroom();
    let mut draft = Draft::of_lead(&lead, prices());
    let kitchen = RoomInput { kind: Some(Zona::Cocina), m2_suelo: Some(9.0), ..RoomInput::default() };
    draft.add_room(kitchen, &lead, &TARIFA);
    draft.terms.payments = [4_000, 6_000]
        .map(|part| Payment { percentage: Percentage(part), moment: format!("Parte {part}") })
        .to_vec();
    Draft::read(&serde_json::to_vec(&draft).expect("writes")).expect("reads")
}

impl Edit {
    /// Applies the change. Lines are named by their position in the version that both began with.
    fn apply(&self, draft: &mut Draft, ids: &[String], who: &str) {
        let id = |n: &usize| ids[n % ids.len()].as_str();
        let change = |draft: &mut Draft, n: &usize, change: &dyn Fn(&mut DraftLine)| {
            let lines = draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos).flat_map(|c| &mut c.lines);
            lines.filter(|line| line.id == id(n)).for_each(change);
        };
        match self {
            Self::Concepto(n, text) => change(draft, n, &|l| l.concepto.clone_from(text)),
            Self::Detail(n, text) => change(draft, n, &|l| l.detail = Some(text.clone())),
            Self::Cantidad(n, value) => change(draft, n, &|l| l.cantidad = Cantidad(*value)),
            Self::Precio(n, value) => change(draft, n, &|l| l.precio = Cents(*value)),
            Self::Coste(n, value) => change(draft, n, &|l| l.coste = Some(Cents(*value))),
            Self::Discount(n, value) => change(draft, n, &|l| l.discount = Percentage(*value)),
            Self::Optional(n) => change(draft, n, &|l| l.optional = true),
            Self::Remove(n) => {
                let capitulos = draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos);
                capitulos.for_each(|c| c.lines.retain(|line| line.id != id(n)));
                draft.rooms.iter_mut().for_each(|r| r.capitulos.retain(|c| !c.lines.is_empty()));
            }
            Self::Add(n, text) => {
                let mut capitulos = draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos);
                let found = capitulos.find(|c| c.lines.iter().any(|line| line.id == id(n)));
                let new = DraftLine {
                    id: format!("nueva-{who}-{}-{text}", n % ids.len()),
                    concepto: text.clone(),
                    ..DraftLine::default()
                };
                found.into_iter().for_each(|c| {
                    if !c.lines.iter().any(|line| line.id == new.id) {
                        c.lines.push(new.clone());
                    }
                });
            }
            Self::Chapter(text) => draft.rooms[0].capitulos[0].nombre.clone_from(text),
            #[allow(clippy::cast_precision_loss)]
            Self::Area(m2) => draft.rooms[1].facts.m2_suelo = Some(*m2 as f64),
            Self::Off(value) => {
                let value = DiscountValue::Amount(Cents(*value));
                draft.discount = Some(Discount { value, reason: None });
            }
            Self::Intro(text) => draft.terms.intro = Some(text.clone()),
            Self::Site(text) => draft.terms.site = Some(text.clone()),
            Self::Days(days) => draft.valid_days = Some(*days),
            Self::Conditions(text) => draft.condiciones = Some(vec![text.clone()]),
            Self::Vivienda => {
                draft.tax =
                    Some(TaxChoice { vivienda: Some(Answer::Denied), ..draft.tax.unwrap_or_default() });
            }
            Self::Contratante => {
                let contratante = Some(Some(Contratante::Empresa));
                draft.tax = Some(TaxChoice { contratante, ..draft.tax.unwrap_or_default() });
            }
        }
    }

    /// What the change is about: two edits of the same place conflict.
    fn place(&self, count: usize) -> (u8, usize) {
        let at = |n: &usize| n % count;
        match self {
            Self::Concepto(n, _) => (0, at(n)),
            Self::Detail(n, _) => (1, at(n)),
            Self::Cantidad(n, _) => (2, at(n)),
            Self::Precio(n, _) => (3, at(n)),
            Self::Coste(n, _) => (4, at(n)),
            Self::Discount(n, _) => (5, at(n)),
            Self::Optional(n) => (6, at(n)),
            Self::Remove(n) => (7, at(n)),
            Self::Add(n, _) => (8, at(n)),
            Self::Chapter(_) => (9, 0),
            Self::Area(_) => (10, 0),
            Self::Off(_) => (11, 0),
            Self::Intro(_) => (12, 0),
            Self::Site(_) => (13, 0),
            Self::Days(_) => (14, 0),
            Self::Conditions(_) => (15, 0),
            Self::Vivienda => (16, 0),
            Self::Contratante => (17, 0),
        }
    }

    /// The line that the change needs.
    fn line(&self, count: usize) -> Option<usize> {
        let (kind, n) = self.place(count);
        (kind <= 8).then_some(n)
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    let n = || any::<usize>();
    let text = || "[a-z]{1,6}";
    prop_oneof![
        (n(), text()).prop_map(|(n, t)| Edit::Concepto(n, t)),
        (n(), text()).prop_map(|(n, t)| Edit::Detail(n, t)),
        (n(), 1_i64..90_000).prop_map(|(n, v)| Edit::Cantidad(n, v)),
        (n(), 1_i64..90_000).prop_map(|(n, v)| Edit::Precio(n, v)),
        (n(), 1_i64..90_000).prop_map(|(n, v)| Edit::Coste(n, v)),
        (n(), 1_i64..10_000).prop_map(|(n, v)| Edit::Discount(n, v)),
        n().prop_map(Edit::Optional),
        n().prop_map(Edit::Remove),
        (n(), text()).prop_map(|(n, t)| Edit::Add(n, t)),
        text().prop_map(Edit::Chapter),
        (10_i64..90).prop_map(Edit::Area),
        (1_i64..90_000).prop_map(Edit::Off),
        text().prop_map(Edit::Intro),
        text().prop_map(Edit::Site),
        (1_u16..200).prop_map(Edit::Days),
        text().prop_map(Edit::Conditions),
        Just(Edit::Vivienda),
        Just(Edit::Contratante),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    proptest::collection::vec(edit(), 0..10)
}

fn ids(draft: &Draft) -> Vec<String> {
    draft.lines().map(|line| line.id.clone()).collect()
}

fn edited(base: &Draft, edits: &[Edit], who: &str) -> Draft {
    let mut draft = base.clone();
    edits.iter().for_each(|edit| edit.apply(&mut draft, &ids(base), who));
    draft
}

fn merged(base: &Draft, theirs: &Draft, mine: &Draft) -> Merged {
    Draft::merge(base, theirs, mine, &Answers::new())
}

/// Lines by id. Where two people add lines to one chapter, the order of the added lines does not matter.
fn as_set(draft: &Draft) -> BTreeMap<String, (usize, DraftLine)> {
    let mut all = BTreeMap::new();
    for (n, room) in draft.rooms.iter().enumerate() {
        for line in room.lines() {
            all.insert(line.id.clone(), (n, line.clone()));
        }
    }
    all
}

/// A draft without its lines.
fn rest(draft: &Draft) -> Draft {
    let mut draft = draft.clone();
    draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos).for_each(|c| c.lines.clear());
    draft
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn disjoint_changes_are_both_kept(theirs in edits(), mine in edits()) {
        let base = begun();
        let count = ids(&base).len();
        // Leave out edits of places that the other person edits, and edits of lines that either person removes.
        let is_free = |edit: &Edit| !theirs.iter().any(|other| {
            let is_gone = |a: &Edit, b: &Edit| matches!(a, Edit::Remove(_)) && a.line(count) == b.line(count);
            edit.place(count) == other.place(count) || is_gone(edit, other) || is_gone(other, edit)
        });
        let mine: Vec<Edit> = mine.iter().filter(|edit| is_free(edit)).cloned().collect();
        let (a, b) = (edited(&base, &theirs, "a"), edited(&base, &mine, "b"));
        // A chapter that became empty is gone together with its name, so nobody can tell any more who named it.
        prop_assume!(a.rooms[0].capitulos.len() == base.rooms[0].capitulos.len());
        prop_assume!(b.rooms[0].capitulos.len() == base.rooms[0].capitulos.len());
        let both = merged(&base, &a, &b);
        prop_assert_eq!(&both.open, &vec![]);
        let mut expected = a.clone();
        mine.iter().for_each(|edit| edit.apply(&mut expected, &ids(&base), "b"));
        prop_assert_eq!(as_set(&both.draft), as_set(&expected));
        prop_assert_eq!(rest(&both.draft), rest(&expected));
    }

    #[test]
    fn one_person_alone_is_never_asked(edits in edits()) {
        let base = begun();
        let one = edited(&base, &edits, "a");
        for both in [merged(&base, &one, &one), merged(&base, &one, &base), merged(&base, &base, &one)] {
            prop_assert_eq!(&both.open, &vec![]);
            prop_assert_eq!(&both.draft, &one);
        }
    }

    /// Whatever both people do: each question has two different sides, its answer settles it, and no line appears
    /// twice.
    #[test]
    fn answers_settle_every_question(theirs in edits(), mine in edits()) {
        let base = begun();
        let (a, b) = (edited(&base, &theirs, "a"), edited(&base, &mine, "b"));
        let both = merged(&base, &a, &b);
        for side in [Side::Mine, Side::Theirs] {
            let answers: Answers = both.open.iter().map(|asked| (asked.key.clone(), side)).collect();
            prop_assert_eq!(answers.len(), both.open.len(), "every question has its own key");
            let settled = Draft::merge(&base, &a, &b, &answers);
            prop_assert_eq!(&settled.open, &vec![]);
            prop_assert_eq!(as_set(&settled.draft).len(), settled.draft.lines().count());
            if side == Side::Mine {
                prop_assert_eq!(&settled.draft, &both.draft);
            }
            // A settled merge is the same for both people from then on.
            let again = merged(&a, &a, &settled.draft);
            prop_assert_eq!((again.draft, again.open), (settled.draft, vec![]));
        }
        prop_assert!(both.open.iter().all(|asked| asked.mine != asked.theirs && !asked.subject.is_empty()));
    }
}

fn asked(both: &Merged) -> Vec<(&str, String, String)> {
    let plain = |text: &str| text.replace('\u{a0}', " ");
    both.open.iter().map(|q| (q.key.as_str(), plain(&q.theirs), plain(&q.mine))).collect()
}

#[test]
fn what_both_changed_is_asked_and_nothing_else() {
    let base = begun();
    let ids = ids(&base);
    let theirs = edited(&base, &[Edit::Precio(0, 1_200), Edit::Concepto(1, "suyo".into())], "a");
    let mine = edited(&base, &[Edit::Precio(0, 1_500), Edit::Cantidad(0, 700)], "b");
    let both = merged(&base, &theirs, &mine);
    let key = format!("linea.{}.precio", ids[0]);
    assert_eq!(asked(&both), [(key.as_str(), "12,00 €".to_owned(), "15,00 €".to_owned())]);
    let lines: Vec<_> = both.draft.lines().collect();
    assert_eq!((lines[0].cantidad.0, lines[1].concepto.as_str()), (700, "suyo"));
    let settled = Draft::merge(&base, &theirs, &mine, &Answers::from([(key, Side::Theirs)]));
    assert_eq!(settled.draft.lines().next().expect("a line").precio, Cents(1_200));
}

#[test]
fn a_line_that_one_edited_and_the_other_removed_is_asked() {
    let base = begun();
    let id = ids(&base)[0].clone();
    let (edit, gone) =
        (edited(&base, &[Edit::Precio(0, 1_500)], "a"), edited(&base, &[Edit::Remove(0)], "b"));
    let key = format!("linea.{id}");
    let is_there = |draft: &Draft| draft.lines().any(|line| line.id == id);
    for (theirs, mine, keeps) in [(&gone, &edit, Side::Mine), (&edit, &gone, Side::Theirs)] {
        let both = merged(&base, theirs, mine);
        assert_eq!(both.open.iter().map(|q| q.key.as_str()).collect::<Vec<_>>(), [key.as_str()]);
        for side in [Side::Mine, Side::Theirs] {
            let settled = Draft::merge(&base, theirs, mine, &Answers::from([(key.clone(), side)]));
            assert_eq!(is_there(&settled.draft), side == keeps);
        }
    }
}

#[test]
fn quantity_and_price_belong_to_their_unit() {
    let base = begun();
    let mut theirs = base.clone();
    let line = &mut theirs.rooms[0].capitulos[0].lines[0];
    (line.unidad, line.cantidad) =
        (if line.unidad == Unidad::Ud { Unidad::Pa } else { Unidad::Ud }, Cantidad(100));
    let mine = edited(&base, &[Edit::Precio(0, 1_500)], "b");
    let both = merged(&base, &theirs, &mine);
    assert_eq!(both.open.len(), 1);
    assert!(both.open[0].key.ends_with(".medida"), "{:?}", both.open);
}

#[test]
fn two_additions_under_one_id_are_two() {
    let base = begun();
    let add = |concepto: &str| {
        let mut draft = base.clone();
        let concepto = concepto.to_owned();
        draft.rooms[0].capitulos[0].lines.push(DraftLine { concepto, ..DraftLine::default() });
        draft.fill_ids();
        draft
    };
    let both = merged(&base, &add("Nicho"), &add("Mampara"));
    assert_eq!((both.draft.lines().count(), both.open.len()), (ids(&base).len() + 2, 0));
    assert_eq!(as_set(&both.draft).len(), ids(&base).len() + 2);
    let both = merged(&base, &add("Nicho"), &add("Nicho"));
    assert_eq!(both.draft.lines().count(), ids(&base).len() + 1);
}

#[test]
fn rooms_and_plans_are_merged_too() {
    let base = begun();
    let mut theirs = base.clone();
    theirs.rooms.remove(1);
    theirs.terms.payments[0].moment = "Al firmar".into();
    let mut mine = base.clone();
    mine.terms.payments[0].percentage = Percentage(3_000);
    mine.terms.payments[1].percentage = Percentage(7_000);
    let both = merged(&base, &theirs, &mine);
    assert_eq!((both.draft.rooms.len(), both.open.len()), (1, 0));
    let plan = &both.draft.terms.payments;
    assert_eq!(
        (plan[0].moment.as_str(), plan[0].percentage.0, plan[1].percentage.0),
        ("Al firmar", 3_000, 7_000)
    );
    // The other person changed the room that was removed.
    mine.rooms[1].facts.m2_suelo = Some(11.0);
    let both = merged(&base, &theirs, &mine);
    assert_eq!(both.open.iter().map(|q| q.key.as_str()).collect::<Vec<_>>(), ["estancia.2"]);
    assert_eq!(both.draft.rooms.len(), 2);
}
