//! Settings of the mail server. Only their form is checked; whether the server answers is checked by `embudo doctor`.

use super::value::{Value, word_values};
use std::net::IpAddr;
use std::num::NonZeroU16;

/// A host name or address without port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host(String);

impl Host {
    /// The name or address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value for Host {
    fn parse(text: &str) -> Result<Self, String> {
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let named = bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
        if !named && bare.parse::<IpAddr>().is_err() {
            return Err("is not a host name or address (the port has its own setting)".to_owned());
        }
        Ok(Self(bare.to_owned()))
    }

    fn show(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

/// The sender of a mail: an address, with or without a name before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox(String);

impl Mailbox {
    /// The address alone, without the name.
    pub fn address(&self) -> &str {
        address_in(&self.0)
    }

    /// The name before the address, without the quotes that some write around it.
    pub fn name(&self) -> Option<String> {
        let (name, _) = self.0.split_once('<')?;
        let name = name.trim();
        let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let name = quoted.map_or_else(|| name.to_owned(), unescaped);
        Some(name).filter(|name| !name.is_empty())
    }
}

impl Value for Mailbox {
    fn parse(text: &str) -> Result<Self, String> {
        let address = address_in(text);
        let sound = address.split_once('@').is_some_and(|(user, domain)| {
            !user.is_empty() && !domain.is_empty() && !domain.contains('@') && !domain.ends_with('.')
        });
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',');
        if !sound || address.contains(odd) || text.chars().any(char::is_control) {
            return Err("is not a mail address, such as ana@example.com or Ana <ana@example.com>".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    fn show(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

/// Removes escapes: within quotes, a backslash escapes the next character.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    std::iter::from_fn(|| match chars.next() {
        Some('\\') => chars.next(),
        other => other,
    })
    .collect()
}

fn address_in(mailbox: &str) -> &str {
    match mailbox.split_once('<') {
        Some((_, rest)) => rest.strip_suffix('>').unwrap_or_default(),
        None => mailbox,
    }
}

/// How the connection to the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    /// The connection is never encrypted.
    None,
    /// The connection begins without encryption and is upgraded.
    Starttls,
    /// The connection is encrypted from the first byte.
    Tls,
}

word_values! {
    SmtpTls, "is not one of none, starttls, tls", "none" => None, "starttls" => Starttls, "tls" => Tls;
}

impl SmtpTls {
    /// The encryption for a port if nothing else is set (contract §4).
    pub fn for_port(port: NonZeroU16) -> Self {
        if port.get() == 465 { Self::Tls } else { Self::Starttls }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_before_the_address_is_known() {
        for (text, name) in [
            ("ana@a.es", None),
            ("<ana@a.es>", None),
            ("Ana <ana@a.es>", Some("Ana")),
            ("Reformas Peña  <ana@a.es>", Some("Reformas Peña")),
            (r#""Peña, \"Hijos\"" <ana@a.es>"#, Some(r#"Peña, "Hijos""#)),
            (r#""" <ana@a.es>"#, None),
        ] {
            let mailbox = Mailbox::parse(text).unwrap();
            assert_eq!((mailbox.name().as_deref(), mailbox.address()), (name, "ana@a.es"), "{text}");
        }
    }
}
