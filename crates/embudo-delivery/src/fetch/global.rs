//! Which addresses are public. The special-purpose registries of the IANA, read strictly: an address that is not
//! clearly a public unicast address counts as not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is public: reachable over the internet, and neither of this machine or a private network nor
/// translated into such an address.
pub fn is_global(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => v4(ip),
        IpAddr::V6(ip) => v6(ip),
    }
}

fn v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127, _, _)            // this network, private, loopback
        | (100, 64..=127, _)            // shared by a carrier
        | (169, 254, _)                 // link-local, where clouds keep their metadata
        | (172, 16..=31, _)             // private
        | (192, 0, 0 | 2)               // protocol assignments, documentation
        | (192, 31, 196)                // AS112
        | (192, 52, 193)                // AMT
        | (192, 88, 99)                 // 6to4 relays
        | (192, 168, _)                 // private
        | (192, 175, 48)                // AS112
        | (198, 18..=19, _)             // benchmarking
        | (198, 51, 100)                // documentation
        | (203, 0, 113)                 // documentation
        | (224.., _, _) // multicast, reserved, broadcast
    )
}

/// Only `2000::/3` is unicast on the internet. That alone leaves out loopback, mapped and compatible IPv4 addresses,
/// NAT64 (`64:ff9b::/96`, `64:ff9b:1::/48`), discard, unique local, link-local, site-local, multicast and segment
/// routing.
fn v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, ..] = ip.segments();
    let internet = a & 0xE000 == 0x2000;
    let reserved = matches!(
        (a, b, c),
        (0x2001, 0..=0x01FF, _)         // protocol assignments: Teredo, benchmarking, ORCHID, …
        | (0x2001, 0x0DB8, _)           // documentation
        | (0x2002, _, _)                // 6to4: an IPv4 address inside
        | (0x2620, 0x004F, 0x8000)      // AS112
        | (0x3FFE, _, _)                // 6bone, given back
        | (0x3FFF, 0..=0x0FFF, _) // documentation
    );
    // ISATAP: an IPv4 address inside an interface id, tunnelled to within a site.
    let [.., e, f, _, _] = ip.segments();
    let isatap = e & 0xFDFF == 0 && f == 0x5EFE;
    internet && !reserved && !isatap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_block_is_refused_from_its_first_to_its_last_address() {
        let blocks = [
            ("0.0.0.0", "0.255.255.255"),
            ("10.0.0.0", "10.255.255.255"),
            ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"),
            ("169.254.0.0", "169.254.255.255"),
            ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"),
            ("192.0.2.0", "192.0.2.255"),
            ("192.88.99.0", "192.88.99.255"),
            ("192.168.0.0", "192.168.255.255"),
            ("198.18.0.0", "198.19.255.255"),
            ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"),
            ("224.0.0.0", "239.255.255.255"),
            ("240.0.0.0", "255.255.255.255"),
            ("::", "::1"),
            ("::127.0.0.1", "::255.255.255.255"),
            ("::ffff:0.0.0.0", "::ffff:255.255.255.255"),
            ("::ffff:8.8.8.8", "::ffff:0:8.8.8.8"),
            ("64:ff9b::", "64:ff9b::ffff:ffff"),
            ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
            ("100::", "100::ffff:ffff:ffff:ffff"),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2a00:1450::5efe:7f00:1", "2a00:1450::200:5efe:7f00:1"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("4000::", "fbff::"),
            ("5f00::", "5f00:ffff::"),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ];
        for ip in blocks.iter().flat_map(|(a, b)| [a, b]) {
            assert!(!is_global(ip.parse().expect("an address")), "{ip}");
        }
    }

    #[test]
    fn their_neighbours_are_public() {
        for ip in [
            "1.0.0.0",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2000::1",
            "2001:200::",
            "2001:4860:4860::8888",
            "2001:db7:ffff::",
            "2001:db9::",
            "2003::",
            "2a00:1450:4003:80f::2004",
            "3ffd::1",
            "3fff:1000::",
        ] {
            assert!(is_global(ip.parse().expect("an address")), "{ip}");
        }
    }
}
