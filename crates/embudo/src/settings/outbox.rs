//! Settings of deliveries: the secrets that sign them, how long they are kept, what to do in doubt.

use super::value::{Value, word_values};
use embudo_delivery::Secrets;

/// The secrets that sign signals together; only their number is ever shown.
#[derive(Debug, Clone)]
pub struct WebhookSecrets(Secrets, usize);

impl WebhookSecrets {
    /// The secrets, ready to sign.
    pub fn secrets(&self) -> &Secrets {
        &self.0
    }
}

impl Value for WebhookSecrets {
    const SECRET: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        let secrets = Secrets::read(text).map_err(|error| format!("cannot be used: {error}"))?;
        Ok(Self(secrets, text.split_whitespace().count()))
    }

    fn show(&self) -> Option<String> {
        let count = if self.1 == 1 { "one secret".to_owned() } else { format!("{} secrets", self.1) };
        Some(format!("•••• ({count})"))
    }
}

/// A time in whole days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days(u16);

impl Days {
    /// The number of days.
    pub fn get(self) -> u16 {
        self.0
    }
}

impl Value for Days {
    fn parse(text: &str) -> Result<Self, String> {
        let days = text.parse().ok().filter(|days| (1..=36_500).contains(days));
        days.map(Self).ok_or_else(|| "is not a whole number of days (1–36500)".to_owned())
    }

    fn show(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

/// What happens to a mail if it is unknown whether the server took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDoubt {
    /// A person decides, so a mail is never sent twice.
    Park,
    /// The mail is sent again, so it is never lost.
    Retry,
}

word_values! {
    OnDoubt, "is neither park nor retry", "park" => Park, "retry" => Retry;
}
