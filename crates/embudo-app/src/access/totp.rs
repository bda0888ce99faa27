//! One-time codes (RFC 6238: HMAC-SHA-1, six digits, thirty seconds), and recovery codes for a lost telephone.

use embudo_domain::{Digest, Timestamp, UserId};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use subtle::ConstantTimeEq as _;

use super::fill_random;

const PERIOD_S: i64 = 30;
/// By how many periods the clock may be wrong.
const SLACK: i64 = 1;
const SECRET_BYTES: usize = 20;
const CODES: usize = 10;
/// The characters of recovery codes, without those that people confuse with each other.
const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
const CODE_CHARS: usize = 16;

pub(super) fn new_secret() -> Vec<u8> {
    let mut secret = vec![0; SECRET_BYTES];
    fill_random(&mut secret);
    secret
}

/// The period of a code, if it is at most [`SLACK`] periods from now and after `last_step`, the last period used.
pub(super) fn step_of(secret: &[u8], code: &str, now: Timestamp, last_step: i64) -> Option<i64> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let current = now.as_second().div_euclid(PERIOD_S);
    let matches = |step: &i64| bool::from(code_of(secret, *step).as_bytes().ct_eq(code.as_bytes()));
    (current - SLACK..=current + SLACK).filter(|step| *step > last_step).find(matches)
}

/// The code that an authenticator program shows now for a secret as it is typed into it.
pub fn authenticator_code(secret: &str, now: Timestamp) -> Option<String> {
    Some(code_of(&read_base32(secret)?, now.as_second().div_euclid(PERIOD_S)))
}

/// The six digits of a period.
fn code_of(secret: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest[19] & 0x0f);
    let four = [digest[offset] & 0x7f, digest[offset + 1], digest[offset + 2], digest[offset + 3]];
    format!("{:06}", u32::from_be_bytes(four) % 1_000_000)
}

/// The text of the QR code for authenticator programs.
pub(super) fn uri(secret: &[u8], email: &str) -> String {
    let label =
        url::form_urlencoded::byte_serialize(email.as_bytes()).collect::<String>().replace('+', "%20");
    format!("otpauth://totp/Embudo:{label}?secret={}&issuer=Embudo", base32(secret))
}

/// RFC 4648, without padding.
pub(super) fn base32(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::new();
    for chunk in bytes.chunks(5) {
        let mut five = [0_u8; 8];
        five[3..3 + chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_be_bytes(five);
        for i in 0..(chunk.len() * 8).div_ceil(5) {
            text.push(char::from(DIGITS[(bits >> (35 - 5 * i) & 31) as usize]));
        }
    }
    text
}

/// Reads a secret that [`base32`] wrote; `None` for any other text.
pub(super) fn read_base32(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for c in text.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'2'..=b'7' => c - b'2' + 26,
            _ => return None,
        };
        bits = bits << 5 | u32::from(digit);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    (bytes.len() == SECRET_BYTES).then_some(bytes)
}

/// New recovery codes, which are shown only this once.
pub(super) fn new_codes() -> Vec<String> {
    (0..CODES).map(|_| new_code()).collect()
}

fn new_code() -> String {
    let mut code = String::new();
    while code.len() < CODE_CHARS + 3 {
        let mut byte = [0];
        fill_random(&mut byte);
        // Skip the bytes beyond the last whole alphabet: they would make some letters more likely.
        if usize::from(byte[0]) >= 256 / ALPHABET.len() * ALPHABET.len() {
            continue;
        }
        if code.len() % 5 == 4 {
            code.push('-');
        }
        code.push(char::from(ALPHABET[usize::from(byte[0]) % ALPHABET.len()]));
    }
    code
}

/// The digest under which a recovery code is stored, for any spelling of the code; `None` if it cannot be a recovery
/// code.
pub(super) fn code_mark(user: UserId, code: &str) -> Option<Digest> {
    let plain: String =
        code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    (plain.len() == CODE_CHARS).then(|| Digest::of(&[user.0.as_bytes(), plain.as_bytes()].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_rfc() {
        // RFC 6238, appendix B. Its codes have eight digits; ours are the last six.
        let secret = b"12345678901234567890";
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_of(secret, second / 30), code);
            let now = Timestamp::from_second(second).expect("a moment");
            assert_eq!(step_of(secret, code, now, 0), Some(second / 30));
            assert_eq!(
                step_of(secret, &format!(" {} {}", &code[..3], &code[3..]), now, 0),
                Some(second / 30)
            );
            assert_eq!(step_of(secret, code, now, second / 30), None, "used up");
        }
    }

    #[test]
    fn a_clock_may_be_off_by_one_period() {
        let (secret, now) = (new_secret(), Timestamp::from_second(3_000).expect("a moment"));
        for (step, good) in [(98, false), (99, true), (100, true), (101, true), (102, false)] {
            assert_eq!(step_of(&secret, &code_of(&secret, step), now, 0).is_some(), good, "{step}");
        }
        for wrong in ["", "12345", "1234567", "ñ", "000000000000"] {
            assert_eq!(step_of(&secret, wrong, now, 0), None);
        }
    }

    #[test]
    fn secrets_go_as_base32() {
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
        assert_eq!(base32(b"f"), "MY");
        let secret = new_secret();
        assert_eq!(read_base32(&base32(&secret)), Some(secret.clone()));
        assert_eq!(read_base32("MZXW6YTBOI"), None, "another length");
        assert_eq!(read_base32("mzxw"), None);
        let uri = uri(&secret, "ana+obra@ejemplo.es");
        assert!(uri.starts_with("otpauth://totp/Embudo:ana%2Bobra%40ejemplo.es?secret="), "{uri}");
    }

    #[test]
    fn recovery_codes_are_read_in_any_spelling() {
        let user = UserId(uuid::Uuid::from_u128(1));
        let codes = new_codes();
        assert_eq!(codes.len(), 10);
        for code in &codes {
            assert_eq!(code.len(), 19, "{code}");
            assert_eq!(code_mark(user, code), code_mark(user, &code.to_uppercase().replace('-', " ")));
            assert_ne!(code_mark(user, code), code_mark(UserId(uuid::Uuid::from_u128(2)), code));
        }
        assert_eq!(code_mark(user, "123456"), None);
    }
}
