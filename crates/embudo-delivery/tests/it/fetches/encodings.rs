//! Every way we know of to write an address of this machine or network, against a server (the canary) that must get no
//! connection.

use std::sync::Arc;

use embudo_delivery::FetchFailure;
use embudo_delivery::fetch::{Fetcher, Resolver};

use super::{LENGTH, Script, Server, rules};

/// Hosts; each is tried with http and https, with the canary's port and without.
#[rustfmt::skip]
const HOSTS: &[&str] = &[
    // Dotted, short, decimal, octal, hexadecimal, mixed, overlong.
    "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.1.", "2130706433", "2130706433.", "017700000001",
    "0177.0.0.1", "0177.0.0.01", "0177.1", "00000177.0.0.1", "0x7f000001", "0X7F000001", "0x7f.0.0.1",
    "0x7f.0x0.0x0.0x1", "0x7f.1", "0x7f.0.1", "0x0000007f.0x1", "127.0x1", "127.0.0x1", "127.0.0.0x1",
    "127.0.00.01", "127.00000001", "0", "0.0", "0.0.0.0", "0x0", "00", "0.0.0.0.", "127.255.255.254",
    "127.127.127.127",
    // Percent-encoded, full-width, circled, other scripts' digits and dots.
    "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%3127.0.0.1", "127.0.0.%31", "１２７.０.０.１", "127．0．0．1", "127。0。0。1",
    "127｡0｡0｡1", "①②⑦.⓪.⓪.①", "①27.0.0.1", "⑫7.0.0.1", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "𝟭𝟮𝟳.𝟬.𝟬.𝟭", "¹²⁷.⁰.⁰.¹", "₁₂₇.₀.₀.₁",
    "０x7f.1", "0ⓧ7f.1", "127.0.0.1\u{AD}", "127\u{200B}.0.0.1", "127.0.0.\u{FEFF}1", "１２７。０。０。１",
    // Names that resolve to this machine.
    "localhost", "LOCALHOST", "LocalHost.", "ⓛocalhost", "ｌｏｃａｌｈｏｓｔ", "localhost.localdomain", "a.localhost",
    "127.0.0.1.nip.example", "7f000001.example", "spoofed.example", "loc\u{AD}alhost", "l%6fcalhost",
    // IPv6: loopback, nothing, mapped, compatible, translated, tunnelled, local, multicast, documentation.
    "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[0::1]", "[::]",
    "[0::0]", "[::ffff:127.0.0.1]", "[::FFFF:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]",
    "[::ffff:0:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2002:a00:1::]", "[2002:c0a8:101::1]",
    "[2001::1]", "[2001:0:7f00:1::]", "[2001:10::1]", "[2001:20::1]", "[2001:db8::1]", "[3fff::1]",
    "[100::1]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]",
    "[ff02::1]", "[ff0e::1]", "[5f00::1]", "[2a00:1450::5efe:7f00:1]", "[::ffff:a9fe:a9fe]",
    "[::ffff:10.0.0.1]",
    // Private networks.
    "10.0.0.1", "10.255.255.255", "012.0.0.1", "0xa.1", "167772161", "100.64.0.1", "100.127.255.254",
    "169.254.169.254", "169.254.170.2", "2852039166", "0xA9FEA9FE", "0xA9.0xFE.0xA9.0xFE",
    "0251.0376.0251.0376", "169.16689662", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.1",
    "3232235521", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "4294967295", "0xffffffff",
];

/// Whole URLs; `{P}` is the canary's port.
#[rustfmt::skip]
const URLS: &[&str] = &[
    // Users that look like hosts, hosts that look like users.
    "http://example.com@127.0.0.1:{P}/", "http://example.com:80@127.0.0.1:{P}/",
    "http://example.com%2f@127.0.0.1:{P}/", "http://example.com\\@127.0.0.1:{P}/",
    "http://127.0.0.1:{P}\\@example.com/", "http://127.0.0.1:{P}#@example.com/",
    "http://127.0.0.1:{P}?@example.com/", "http://a:b@127.0.0.1:{P}/", "http://@127.0.0.1:{P}/",
    "http://:@127.0.0.1:{P}/", "http://127.0.0.1:{P}@127.0.0.1:{P}/",
    "http://example.com&@127.0.0.1:{P}#@example.com/", "http://foo@[::1]:{P}/",
    "http://127.0.0.1%00.example.com:{P}/", "http://127.0.0.1%0d%0a.example.com:{P}/",
    "http://127.0.0.1 .example.com:{P}/",
    // Slashes, case, blanks, line ends.
    "http:127.0.0.1:{P}/", "http:/127.0.0.1:{P}/", "http:///127.0.0.1:{P}/", "http:\\\\127.0.0.1:{P}\\",
    "HTTP://127.0.0.1:{P}/", "hTtP://127.0.0.1:{P}/", " http://127.0.0.1:{P}/ ",
    "\u{a0}http://127.0.0.1:{P}/", "http://127.0.0.1\t:{P}/", "http://127.0.0.1\r\n:{P}/",
    "http://127.0.\n0.1:{P}/", "http://127.0.0.1:{P}/\r\nHost: x\r\n\r\nGET /interno",
    "\u{0}http://127.0.0.1:{P}/", "http://127.0.0.1:{P}/ HTTP/1.1\r\nX: y", "http://\u{1}127.0.0.1:{P}/",
    // Ports.
    "http://127.0.0.1:0{P}/", "http://127.0.0.1:{P}:80/", "http://127.0.0.1:+{P}/",
    "http://127.0.0.1:80:{P}/", "http://127.0.0.1:{P}.80/", "http://127.0.0.1:22/", "http://127.0.0.1:0/",
    "http://127.0.0.1:65536/", "http://127.0.0.1:-1/",
    // Schemes.
    "ftp://127.0.0.1:{P}/", "gopher://127.0.0.1:{P}/_x", "file:///etc/passwd", "file://127.0.0.1:{P}/x",
    "dict://127.0.0.1:{P}/x", "ws://127.0.0.1:{P}/", "wss://127.0.0.1:{P}/", "ldap://127.0.0.1:{P}/",
    "tftp://127.0.0.1:{P}/", "unix:///run/x.sock", "jar:http://127.0.0.1:{P}/!/",
    "view-source:http://127.0.0.1:{P}/", "blob:http://127.0.0.1:{P}/x", "url:http://127.0.0.1:{P}/",
    "http+unix://%2frun%2fx.sock/", "//127.0.0.1:{P}/", "127.0.0.1:{P}/", "http//127.0.0.1:{P}/",
    "javascript:fetch('http://127.0.0.1:{P}')", "data:text/html,<img src=http://127.0.0.1:{P}>",
    // Broken hosts.
    "http://[::1%25lo]:{P}/", "http://[::1%lo]:{P}/", "http://[::1:{P}/", "http://::1:{P}/",
    "http://[127.0.0.1]:{P}/", "http://[[::1]]:{P}/", "http://[::1].example.com:{P}/",
    "http://127.0.0.1..:{P}/", "http://.127.0.0.1:{P}/", "http://127..0.0.1:{P}/", "http://0x7f..1:{P}/",
    "http://127.0.0.1.:{P}./", "http://256.256.256.256:{P}/", "http://0x100000000:{P}/",
    "http://127.0.0.0.1:{P}/", "http://1.1.1.1 &@127.0.0.1:{P}# @3.3.3.3/", "http://-127.0.0.1:{P}/",
    "http://*:{P}/", "http://:{P}/", "http://?:{P}/",
];

fn all(port: u16) -> Vec<String> {
    let of_hosts = HOSTS.iter().flat_map(|host| {
        ["http", "https"].into_iter().flat_map(move |schema| {
            [format!("{schema}://{host}/"), format!("{schema}://{host}:{port}/foto.jpg")]
        })
    });
    of_hosts.chain(URLS.iter().map(|url| url.replace("{P}", &port.to_string()))).collect()
}

#[tokio::test]
async fn no_spelling_reaches_the_canary() {
    assert!(HOSTS.len() + URLS.len() >= 120, "{} + {}", HOSTS.len(), URLS.len());
    let canary = Server::start("127.0.0.1:0", |_| async {}).await;
    let port = canary.port();
    // The canary also listens on the same port of IPv6, if the machine has IPv6.
    let sixth = format!("[::1]:{port}");
    let sixth = match tokio::net::TcpListener::bind(&sixth).await {
        Ok(free) => {
            drop(free);
            Some(Server::start(&sixth, |_| async {}).await)
        }
        Err(_) => None,
    };
    // Every name resolves to this machine. The port is open for another host, so that only the address decides.
    let resolver: Arc<dyn Resolver> = Script::new(&[&["127.0.0.1"]]);
    let open = rules(&[&format!("otro.invalid:{port}")]);
    for rules in [open, rules(&[])] {
        let fetches = Fetcher::with_resolver(rules, Arc::clone(&resolver)).unwrap();
        for url in all(port) {
            let failure = fetches.fetch(&url, LENGTH).await.expect_err(&url);
            assert!(
                matches!(
                    failure,
                    FetchFailure::Address
                        | FetchFailure::Schema
                        | FetchFailure::Credentials
                        | FetchFailure::Port
                        | FetchFailure::NotPublic
                ),
                "{url}: {failure:?}"
            );
            let text = failure.to_string();
            assert!(!text.contains("127") && !text.contains("http://"), "the URL is not told: {text}");
        }
    }
    assert_eq!(canary.how_many().await, 0);
    if let Some(sixth) = sixth {
        assert_eq!(sixth.how_many().await, 0);
    }
}

/// The same with the machine's own resolver, for the names that it knows.
#[tokio::test]
async fn the_machines_own_names_are_refused_too() {
    let canary = Server::start("127.0.0.1:0", |_| async {}).await;
    let port = canary.port();
    let fetches = Fetcher::new(rules(&[&format!("otro.invalid:{port}")])).unwrap();
    for nombre in ["localhost", "LOCALHOST.", "ｌocalhost"] {
        let failure = fetches.fetch(&format!("http://{nombre}:{port}/"), LENGTH).await;
        assert_eq!(failure, Err(FetchFailure::NotPublic), "{nombre}");
    }
    assert_eq!(canary.how_many().await, 0);
}

/// The control test: it is the rules that keep connections from the canary, not a fault of the test.
#[tokio::test]
async fn opened_on_purpose_the_same_spellings_do_arrive() {
    let server = Server::what_says("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfoto").await;
    let port = server.port();
    let fetches = server.fetches();
    let spellings = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "127。0。0。1"];
    for host in spellings {
        let body = fetches.fetch(&format!("http://{host}:{port}/"), LENGTH).await;
        assert_eq!(body.unwrap_or_else(|e| panic!("{host}: {e}")), "foto");
    }
    assert_eq!(server.how_many().await, spellings.len());
}
