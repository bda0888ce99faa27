//! Days in JSON: `2026-01-31`. For `#[serde(with = "crate::dia")]`.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(dia: &Date, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(dia)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Date, D::Error> {
    let texto = std::borrow::Cow::<'de, str>::deserialize(d)?;
    texto.parse().map_err(serde::de::Error::custom)
}
