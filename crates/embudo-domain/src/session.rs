//! A signed-in browser, and how long it stays signed in.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::{EmpresaId, SessionId, UserId};

/// How long a session lasts without being used.
pub const IDLE: SignedDuration = SignedDuration::from_mins(30);
/// The maximum duration of a session.
pub const ABSOLUTE: SignedDuration = SignedDuration::from_hours(12);
/// How long a session lasts on a device that its person marked as their own, used or not.
pub const OWN_DEVICE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long a session waits for the second factor.
pub const HALFWAY: SignedDuration = SignedDuration::from_mins(10);
/// The time of use is stored again only when the stored time is older than this, so that not every page writes to the
/// database.
const TOUCH: SignedDuration = SignedDuration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub user: UserId,
    /// The company that the person is viewing.
    pub empresa: Option<EmpresaId>,
    /// Whether the person marked the device as their own.
    pub own_device: bool,
    /// The password was right, and the session still waits for the second factor: it gives no access yet.
    pub halfway: bool,
    /// The browser that opened it, in short.
    pub agent: String,
    pub ip: Option<IpAddr>,
    pub creada_en: Timestamp,
    pub usada_en: Timestamp,
    /// When it ends, even if it is used.
    pub expira_en: Timestamp,
}

impl Session {
    /// Whether the session is still valid.
    pub fn is_live(&self, now: Timestamp) -> bool {
        let idle = !self.own_device && now >= self.usada_en + IDLE;
        now < self.expira_en && !idle
    }

    /// Whether a use at this moment must be stored.
    pub fn is_stale(&self, now: Timestamp) -> bool {
        now >= self.usada_en + TOUCH
    }
}

/// The maximum duration of a new session.
pub fn life(own_device: bool, halfway: bool) -> SignedDuration {
    match (halfway, own_device) {
        (true, _) => HALFWAY,
        (false, true) => OWN_DEVICE,
        (false, false) => ABSOLUTE,
    }
}

/// Browser and system from a `User-Agent`: «Firefox en Windows».
pub fn short_agent(header: &str) -> String {
    let find = |words: &[(&str, &'static str)]| {
        words.iter().find(|(word, _)| header.contains(word)).map(|(_, name)| *name)
    };
    // The order matters: newer browsers also contain the names of older ones.
    let browser = find(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser", "Samsung Internet"),
        ("Firefox/", "Firefox"),
        ("FxiOS", "Firefox"),
        ("Chrome/", "Chrome"),
        ("CriOS", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = find(&[
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS X", "Mac"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} en {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "Otro programa".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn session(own_device: bool) -> Session {
        let at = Timestamp::UNIX_EPOCH;
        Session {
            id: SessionId(Uuid::nil()),
            user: UserId(Uuid::nil()),
            empresa: None,
            own_device,
            halfway: false,
            agent: String::new(),
            ip: None,
            creada_en: at,
            usada_en: at,
            expira_en: at + life(own_device, false),
        }
    }

    #[test]
    fn half_an_hour_idle_and_twelve_hours_in_all() {
        let at = |minutes| Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes);
        let mut one = session(false);
        assert!(one.is_live(at(29)) && !one.is_live(at(30)));
        one.usada_en = at(719);
        assert!(one.is_live(at(719)) && !one.is_live(at(720)));
        let own = session(true);
        assert!(own.is_live(at(29 * 24 * 60)) && !own.is_live(at(30 * 24 * 60)));
        assert!(!own.is_stale(at(0)) && own.is_stale(at(1)));
    }

    #[test]
    fn agents_are_told_in_short() {
        let chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
        assert_eq!(short_agent(chrome), "Chrome en Windows");
        assert_eq!(short_agent(&format!("{chrome} Edg/142.0")), "Edge en Windows");
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1";
        assert_eq!(short_agent(phone), "Safari en iPhone");
        assert_eq!(short_agent("<script>"), "Otro programa");
    }
}
