//! What people may request about their data, and how long a company keeps the data.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

enumeration! {
    /// Why a lead is erased.
    ErasureReason {
        /// Somebody asked for it.
        Asked = "peticion",
        /// The company's own retention period has ended.
        Term = "plazo",
    }
}

enumeration! {
    /// What a client may request on the page of their quote. A person of the company fulfils the request.
    RightAsked {
        /// A copy of everything that is known about them.
        Copy = "copia",
        /// The erasure of their data.
        Erasure = "borrado",
    }
}

impl RightAsked {
    /// The label that people read.
    pub fn label(self) -> &'static str {
        match self {
            Self::Copy => "Una copia de sus datos",
            Self::Erasure => "Que se borren sus datos",
        }
    }
}

/// Accepted quotes are kept for six years (Código de Comercio, art. 30) unless the company sets another time.
pub const LEGAL_YEARS: u8 = 6;
pub const MAX_LEGAL_YEARS: u8 = 15;
/// The maximum period after which a company erases leads automatically, in months.
pub const MAX_MONTHS: u16 = 240;

/// How long a company keeps people's data. Stored as JSON among its settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Retention {
    /// Lost leads are erased this number of months after the last thing that happened to them. `None`: never.
    #[serde(rename = "perdidosMeses", skip_serializing_if = "Option::is_none")]
    pub lost_months: Option<u16>,
    /// The same for leads that came to nothing but were never marked as lost.
    #[serde(rename = "olvidadosMeses", skip_serializing_if = "Option::is_none")]
    pub quiet_months: Option<u16>,
    /// How long an accepted quote is kept, blocked, after its lead is erased.
    #[serde(rename = "legalAnos", skip_serializing_if = "Option::is_none")]
    pub legal_years: Option<u8>,
}

impl Retention {
    pub fn legal_years(&self) -> u8 {
        self.legal_years.unwrap_or(LEGAL_YEARS)
    }

    /// Whether these rules erase anybody whom the other rules would keep, or would keep longer.
    pub fn erases_sooner(&self, than: &Self) -> bool {
        let sooner =
            |new: Option<u16>, old: Option<u16>| new.is_some_and(|new| old.is_none_or(|old| new < old));
        sooner(self.lost_months, than.lost_months) || sooner(self.quiet_months, than.quiet_months)
    }

    /// Until when a quote that was accepted at this time is kept.
    pub fn kept_until(&self, accepted: Timestamp) -> Timestamp {
        let zoned = accepted.to_zoned(TimeZone::UTC);
        let until = zoned.checked_add(i64::from(self.legal_years()).years());
        until.map_or(Timestamp::MAX, |until| until.timestamp())
    }
}

/// The moment this number of months before `now`.
pub fn months_before(now: Timestamp, months: u16) -> Timestamp {
    let before = now.to_zoned(TimeZone::UTC).checked_sub(i64::from(months).months());
    before.map_or(Timestamp::MIN, |before| before.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_in_the_calendar() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let retention = Retention::default();
        assert_eq!(retention.kept_until(at("2028-02-29T10:00:00Z")), at("2034-02-28T10:00:00Z"));
        let longer = Retention { legal_years: Some(10), ..retention };
        assert_eq!(longer.kept_until(at("2026-11-17T10:00:00Z")), at("2036-11-17T10:00:00Z"));
        assert_eq!(months_before(at("2026-03-31T00:00:00Z"), 1), at("2026-02-28T00:00:00Z"));
    }

    #[test]
    fn rules_that_erase_sooner_are_told_from_those_that_do_not() {
        let of = |lost_months, quiet_months| Retention { lost_months, quiet_months, legal_years: None };
        for (new, old) in [
            (of(Some(12), None), of(None, None)),
            (of(Some(11), None), of(Some(12), None)),
            (of(None, Some(240)), of(Some(1), None)),
            (of(Some(24), Some(6)), of(Some(12), Some(12))),
        ] {
            assert!(new.erases_sooner(&old), "{new:?} after {old:?}");
        }
        for (new, old) in [
            (of(None, None), of(Some(12), Some(12))),
            (of(Some(12), Some(12)), of(Some(12), Some(12))),
            (of(Some(13), None), of(Some(12), Some(12))),
        ] {
            assert!(!new.erases_sooner(&old), "{new:?} after {old:?}");
        }
    }

    #[test]
    fn a_company_that_said_nothing_erases_nothing_by_itself() {
        let none: Retention = serde_json::from_str("{}").expect("it reads");
        assert_eq!((none.lost_months, none.quiet_months, none.legal_years()), (None, None, LEGAL_YEARS));
        assert_eq!(serde_json::to_string(&none).expect("text"), "{}");
    }
}
