//! Public holidays of Spain and of its regions, by day. The table holds the years for which they are decided; the
//! government publishes the next year every autumn. A company types the holidays of its town itself.

use jiff::civil::Date;

use crate::provincia::Provincia;

/// The columns: the day; the regions that have the holiday, `ES` for all of them; the name.
const TABLE: &str = include_str!("holidays.csv");

/// The region of each province, by its code, with the letters of ISO 3166-2.
const REGIONS: [&str; 52] = [
    "PV", "CM", "VC", "AN", "CL", "EX", "IB", "CT", "CL", "EX", "AN", "VC", "CM", "AN", "GA", "CM", "CT",
    "AN", "CM", "PV", "AN", "AR", "AN", "CL", "CT", "RI", "GA", "MD", "AN", "MC", "NC", "GA", "AS", "CL",
    "CN", "GA", "CL", "CN", "CB", "CL", "AN", "CL", "CT", "AR", "CM", "VC", "CL", "PV", "CL", "AR", "CE",
    "ML",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holiday {
    pub day: Date,
    pub name: &'static str,
}

/// The holidays of a province from one day to another, both included, in order. If the province is not known, the
/// holidays of all Spain.
pub fn holidays(provincia: Option<Provincia>, from: Date, to: Date) -> Vec<Holiday> {
    let region = provincia.map(|provincia| REGIONS[usize::from(provincia.code()) - 1]);
    rows()
        .filter(|(day, _, _)| (from..=to).contains(day))
        .filter(|(_, regions, _)| *regions == "ES" || region.is_some_and(|region| regions.contains(region)))
        .map(|(day, _, name)| Holiday { day, name })
        .collect()
}

/// Whether the holidays of a year are in the table.
pub fn is_year_known(year: i16) -> bool {
    rows().any(|(day, _, _)| day.year() == year)
}

fn rows() -> impl Iterator<Item = (Date, &'static str, &'static str)> {
    TABLE.lines().map(|line| {
        let mut parts = line.splitn(3, ';');
        let mut part = || parts.next().expect("the table is tested");
        (part().parse().expect("the table is tested"), part(), part())
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};

    use super::{REGIONS, holidays, is_year_known, rows};
    use crate::provincia::Provincia;

    fn names(provincia: &str, from: Date, to: Date) -> Vec<&'static str> {
        holidays(Provincia::parse(provincia), from, to).into_iter().map(|h| h.name).collect()
    }

    #[test]
    fn the_table_is_in_order_and_names_known_regions() {
        let days: Vec<Date> = rows().map(|(day, _, _)| day).collect();
        assert!(days.is_sorted());
        for (day, regions, name) in rows() {
            assert!(regions.split(' ').all(|r| r == "ES" || REGIONS.contains(&r)), "{day} {regions}");
            assert!(!name.is_empty(), "{day}");
        }
    }

    #[test]
    fn a_province_rests_with_its_region_and_with_all_spain() {
        let (from, to) = (date(2026, 10, 1), date(2026, 11, 30));
        assert_eq!(names("Sevilla", from, to), ["Fiesta Nacional", "Todos los Santos, trasladado al lunes"]);
        assert_eq!(names("Valencia", from, to), ["Día de la Comunidad Valenciana", "Fiesta Nacional"]);
        assert_eq!(names("", from, to), ["Fiesta Nacional"]);
        assert_eq!(names("Barcelona", date(2026, 12, 26), date(2026, 12, 26)), ["San Esteban"]);
    }

    #[test]
    fn each_region_has_at_least_twelve_days_in_a_known_year() {
        for provincia in Provincia::all() {
            for year in [2026, 2027] {
                let found = holidays(Some(provincia), date(year, 1, 1), date(year, 12, 31)).len();
                assert!((11..=16).contains(&found), "{provincia} {year}: {found}");
            }
        }
        assert!(is_year_known(2027) && !is_year_known(2020));
    }
}
