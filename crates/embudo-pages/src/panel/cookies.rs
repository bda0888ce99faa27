//! The panel's three cookies: the session, the identifier of a browser in which somebody has signed in before, and the
//! theme.

use http::header::{COOKIE, HOST, SET_COOKIE};
use http::{Extensions, HeaderMap, HeaderValue, Uri};

use axum::extract::Request;
use axum::response::Response;
use embudo_app::{DEVICE_LIFE, SessionToken};

use crate::WebState;

/// The theme, light or dark. This cookie is not secret.
pub(super) const THEME: &str = "embudo-tema";
/// The lifetime of the session cookie on a person's own device.
const OWN_DEVICE_S: u32 = 30 * 24 * 60 * 60;

/// The scheme of the connection. It decides which cookies the browser keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// HTTPS, also behind a proxy that does not report it.
    Secure,
    /// Plain HTTP on the loopback interface.
    Loopback,
}

impl Scheme {
    pub(super) fn of(extensions: &Extensions, headers: &HeaderMap, uri: &Uri, state: &WebState) -> Self {
        if state.callers.by_https(extensions, headers) {
            return Self::Secure;
        }
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = host.or_else(|| uri.authority().map(http::uri::Authority::as_str));
        if host.is_some_and(is_loopback) { Self::Loopback } else { Self::Secure }
    }

    /// The name of the session cookie, which differs between the schemes. Over HTTP, somebody else may plant a cookie
    /// in the browser; a cookie with that name must never be accepted on a secure connection.
    pub(super) fn session_cookie(self) -> &'static str {
        match self {
            Self::Secure => "__Host-embudo",
            Self::Loopback => "embudo-sesion",
        }
    }

    /// The cookie that identifies the browser. It is kept at sign-out, so that the browser stays known.
    pub(super) fn device_cookie(self) -> &'static str {
        match self {
            Self::Secure => "__Host-embudo-equipo",
            Self::Loopback => "embudo-equipo",
        }
    }

    fn attributes(self) -> &'static str {
        match self {
            Self::Secure => "; Path=/; HttpOnly; SameSite=Lax; Secure",
            Self::Loopback => "; Path=/; HttpOnly; SameSite=Lax",
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let ip = name.parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// The session token in a request.
pub(crate) fn token(request: &Request, state: &WebState) -> Option<String> {
    let headers = request.headers();
    let scheme = Scheme::of(request.extensions(), headers, request.uri(), state);
    read(headers, scheme.session_cookie())
}

/// The value of a cookie.
pub(super) fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(n, v)| *n == name && !v.is_empty()).map(|(_, v)| v.to_owned())
}

/// Sets the cookies with the session token and with the identifier of the browser.
pub(super) fn keep(mut response: Response, scheme: Scheme, ticket: &SessionToken) -> Response {
    let life = if ticket.own_device { format!("; Max-Age={OWN_DEVICE_S}") } else { String::new() };
    let cookie = format!("{}={}{}{life}", scheme.session_cookie(), ticket.token, scheme.attributes());
    set(&mut response, &cookie);
    if let Some(device) = &ticket.device {
        let life_s = DEVICE_LIFE.as_secs();
        let cookie = format!("{}={device}{}; Max-Age={life_s}", scheme.device_cookie(), scheme.attributes());
        set(&mut response, &cookie);
    }
    response
}

/// Removes the session cookie.
pub(super) fn forget(mut response: Response, scheme: Scheme) -> Response {
    set(&mut response, &format!("{}={}; Max-Age=0", scheme.session_cookie(), scheme.attributes()));
    response
}

/// Stores the theme. Without a value the setting of the system applies.
pub(super) fn keep_theme(mut response: Response, theme: Option<&str>) -> Response {
    let (value, life_s) = theme.map_or(("", 0), |theme| (theme, 365 * 24 * 60 * 60));
    set(&mut response, &format!("{THEME}={value}; Path=/panel; HttpOnly; SameSite=Lax; Max-Age={life_s}"));
    response
}

fn set(response: &mut Response, cookie: &str) {
    let cookie = HeaderValue::from_str(cookie).expect("tokens and names are ASCII");
    response.headers_mut().append(SET_COOKIE, cookie);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for yes in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]:80", "[::1]"] {
            assert!(is_loopback(yes), "{yes}");
        }
        for no in ["", "192.168.1.2:8080", "localhost.malo.es", "obras.es", "127.0.0.1.malo.es", "[::2]"] {
            assert!(!is_loopback(no), "{no}");
        }
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; __Host-embudo=xyz;b=2"));
        headers.append(COOKIE, HeaderValue::from_static("embudo-tema=oscuro"));
        assert_eq!(read(&headers, "__Host-embudo").as_deref(), Some("xyz"));
        assert_eq!(read(&headers, THEME).as_deref(), Some("oscuro"));
        assert_eq!(read(&headers, "Host-embudo"), None);
    }
}
