//! How a text becomes a typed value: the [`Value`] trait and the small types. No defaults, no sources, no I/O.

use super::size;
use embudo_delivery::Allowed;
use ipnet::IpNet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::time::Duration;

/// A type that a setting can have.
pub trait Value: Sized {
    /// Whether the value must never be shown. A secret is also used without trimming.
    const SECRET: bool = false;
    /// Whether an empty text is passed to `parse`. Otherwise it counts as not set.
    const EMPTY_IS_A_VALUE: bool = false;

    /// Parses a text. The error completes the sentence that begins with the value: "is not a port (1–65535)".
    fn parse(text: &str) -> Result<Self, String>;

    /// The value as text for people; `None` if it is not set.
    fn show(&self) -> Option<String>;

    /// The part of a refused text that an error message may repeat.
    fn echo(text: &str) -> Option<String> {
        (!Self::SECRET).then(|| text.to_owned())
    }

    /// The value if the setting has neither a text nor a default: `None`, except for `Option` types.
    fn absent() -> Option<Self> {
        None
    }
}

impl<T: Value> Value for Option<T> {
    const SECRET: bool = T::SECRET;
    const EMPTY_IS_A_VALUE: bool = T::EMPTY_IS_A_VALUE;

    fn parse(text: &str) -> Result<Self, String> {
        T::parse(text).map(Some)
    }

    fn show(&self) -> Option<String> {
        self.as_ref().and_then(T::show)
    }

    fn echo(text: &str) -> Option<String> {
        T::echo(text)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Implements [`Value`] for types with a suitable parser and display, given the error text for refused values.
macro_rules! plain_values {
    ($($ty:ty: $problem:literal,)+) => {$(
        impl Value for $ty {
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| $problem.to_owned())
            }

            fn show(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )+};
}

plain_values! {
    String: "is not a text",
    SocketAddr: "is not an address and port, such as 127.0.0.1:8080 or [::1]:8080",
    NonZeroU16: "is not a port (1–65535)",
    NonZeroU32: "is not a whole number from 1 to 4294967295",
    u32: "is not a whole number from 0 to 4294967295",
}

impl Value for PathBuf {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(Self::from(text))
    }

    fn show(&self) -> Option<String> {
        Some(self.display().to_string())
    }
}

impl Value for bool {
    fn parse(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err("is neither true nor false".to_owned()),
        }
    }

    fn show(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A size in bytes.
impl Value for u64 {
    fn parse(text: &str) -> Result<Self, String> {
        size::parse(text).ok_or_else(|| "is not a size, such as 8MiB, 64MB or 8388608".to_owned())
    }

    fn show(&self) -> Option<String> {
        Some(size::show(*self))
    }
}

/// A time in whole seconds.
impl Value for Duration {
    fn parse(text: &str) -> Result<Self, String> {
        let seconds: u32 = text.parse().map_err(|_| "is not a whole number of seconds".to_owned())?;
        Ok(Self::from_secs(seconds.into()))
    }

    fn show(&self) -> Option<String> {
        Some(self.as_secs().to_string())
    }
}

/// A part of a whole, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio(f64);

impl Ratio {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Value for Ratio {
    fn parse(text: &str) -> Result<Self, String> {
        let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
        part.map(Self).ok_or_else(|| "is not a number from 0 to 1, such as 0.1".to_owned())
    }

    fn show(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

/// The items of a list, separated by commas or white space.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty())
}

/// Private hosts from which photos may be fetched.
impl Value for Vec<Allowed> {
    fn parse(text: &str) -> Result<Self, String> {
        parts(text)
            .map(|part| part.parse::<Allowed>().map_err(|error| format!("«{part}»: {error}")))
            .collect()
    }

    fn show(&self) -> Option<String> {
        Some(self.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            .filter(|text| !text.is_empty())
    }
}

/// Networks; a single address is a network of one.
impl Value for Vec<IpNet> {
    fn parse(text: &str) -> Result<Self, String> {
        let network = |part: &str| {
            let alone = part.parse::<IpAddr>().map(IpNet::from);
            alone.or_else(|_| part.parse::<IpNet>().map(|net| net.trunc()))
        };
        parts(text)
            .map(|part| {
                network(part).map_err(|_| {
                    format!("is not a list of addresses or networks such as 10.0.0.0/8: see «{part}»")
                })
            })
            .collect()
    }

    fn show(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }
}

/// A text that cannot be shown, logged or compared by accident.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself; the caller must not log it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("••••")
    }
}

impl Value for Secret {
    const SECRET: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }

    /// Shows only whether the secret is long enough, never the secret itself.
    fn show(&self) -> Option<String> {
        let length =
            if self.0.chars().count() < 16 { "under 16 characters" } else { "16 characters or more" };
        Some(format!("•••• ({length})"))
    }
}

/// A Bearer key: a secret that an `Authorization` header can carry (contract §1).
#[derive(Clone, Debug)]
pub struct ApiKey(Secret);

impl ApiKey {
    /// A key with fewer characters causes a warning; the keys that we make have 43.
    pub const LEAST_CHARS: usize = 32;

    /// A key that can be sent in a header, or why it cannot.
    pub fn new(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }

    /// The key itself; the caller must not log it.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Whether the key is so short that it might be guessed.
    pub fn is_short(&self) -> bool {
        self.expose().chars().count() < Self::LEAST_CHARS
    }
}

impl Value for ApiKey {
    const SECRET: bool = true;
    // `FUNNEL_API_KEY=` is a mistake that would open the API or lock everybody out without notice, so it must stop the
    // start.
    const EMPTY_IS_A_VALUE: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("is empty; give it a key, or remove it altogether".to_owned());
        }
        if text.trim() != text || text.chars().any(char::is_control) {
            return Err(
                "begins or ends with a space or holds a control character, which no header can carry"
                    .to_owned(),
            );
        }
        Ok(Self(Secret::new(text)))
    }

    fn show(&self) -> Option<String> {
        self.0.show()
    }
}

/// Implements [`Value`] for an enum of words.
macro_rules! word_values {
    ($($ty:ident, $problem:literal, $($word:literal => $variant:ident),+;)+) => {$(
        impl Value for $ty {
            fn parse(text: &str) -> Result<Self, String> {
                match text.to_ascii_lowercase().as_str() {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($problem.to_owned()),
                }
            }

            fn show(&self) -> Option<String> {
                Some(match self { $(Self::$variant => $word),+ }.to_owned())
            }
        }
    )+};
}

pub(super) use word_values;

word_values! {
    LogFormat, "is not one of auto, text, json", "auto" => Auto, "text" => Text, "json" => Json;
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    Auto,
    /// Short lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Which events are logged, in the notation of `tracing`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter(String);

impl LogFilter {
    /// Only warnings and errors.
    pub fn warnings() -> Self {
        Self("warn".to_owned())
    }

    /// The filter, ready for `EnvFilter`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value for LogFilter {
    fn parse(text: &str) -> Result<Self, String> {
        // A single word that is no level would be read as a module's name, so a misspelt level would log nothing.
        let level = |part: &str| part.parse::<tracing_subscriber::filter::LevelFilter>().is_ok();
        let sound = text.split(',').map(str::trim).all(|part| part.contains(['=', '[']) || level(part));
        if !sound || tracing_subscriber::EnvFilter::try_new(text).is_err() {
            return Err("is not a log filter, such as info or warn,embudo_api=debug".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    fn show(&self) -> Option<String> {
        Some(self.0.clone())
    }
}
