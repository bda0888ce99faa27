//! Sizes in bytes as people write them. Powers of 1024 are `KiB`, of 1000 `kB`: `8M` is refused, because it could mean
//! either.

const UNITS: [(&str, u64); 8] = [
    ("", 1),
    ("b", 1),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
];

/// A size of at least one byte; `None` for anything else.
pub fn parse(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*factor).filter(|size| *size > 0)
}

/// The size in the largest binary unit that holds it without a fraction.
pub fn show(size: u64) -> String {
    [("GiB", 30), ("MiB", 20), ("KiB", 10)]
        .into_iter()
        .find(|(_, bits)| size > 0 && size.trailing_zeros() >= *bits)
        .map_or_else(|| size.to_string(), |(unit, bits)| format!("{}{unit}", size >> bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_bytes_and_both_kinds_of_unit() {
        for (text, size) in [
            ("1", 1),
            ("8388608", 8 << 20),
            ("8MiB", 8 << 20),
            ("8 mib", 8 << 20),
            ("64MB", 64_000_000),
            ("2GiB", 2 << 30),
            ("512 B", 512),
        ] {
            assert_eq!(parse(text), Some(size), "{text}");
        }
        for text in ["", "0", "0MiB", "8M", "-1", "1.5MiB", "MiB", "99999999999GiB", "8 MiB x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn shown_sizes_parse_back_to_themselves() {
        for (size, text) in [(8 << 20, "8MiB"), (1 << 30, "1GiB"), (1_500, "1500"), (3 << 10, "3KiB")] {
            assert_eq!(show(size), text);
            assert_eq!(parse(text), Some(size));
        }
    }
}
