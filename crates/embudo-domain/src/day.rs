//! Days in JSON: `2026-01-31`. For `#[serde(with = "crate::day")]`, and `crate::day::optional` where there may be none.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(day: &Date, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(day)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Date, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
    text.parse().map_err(serde::de::Error::custom)
}

pub(crate) mod optional {
    use jiff::civil::Date;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(day: &Option<Date>, s: S) -> Result<S::Ok, S::Error> {
        day.map(|d| d.to_string()).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Date>, D::Error> {
        let text = Option::<std::borrow::Cow<'de, str>>::deserialize(d)?;
        text.map(|t| t.parse().map_err(serde::de::Error::custom)).transpose()
    }
}
