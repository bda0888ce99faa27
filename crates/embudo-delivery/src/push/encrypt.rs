//! The encryption of RFC 8291: one record of `aes128gcm` (RFC 8188), with a key agreed on from our key and the
//! browser's.

use embudo_domain::push::PushTarget;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

/// The declared size of a record. Our only record is shorter.
const RECORD: u32 = 4_096;
/// The largest content that every push service must take (RFC 8030 §7.2), without the header, the tag and the end mark.
pub(super) const MAX_CONTENT: usize = 3_993;
/// Contents are padded to a multiple of this, so that their length reveals little.
const STEP: usize = 256;
/// The end mark of the last record; zeros may follow.
const END: u8 = 2;

/// A body that only the browser can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed(pub Vec<u8>);

/// Encrypts for a browser. `None`: its key is no point of the curve, or the content is too long.
pub fn seal(target: &PushTarget, content: &[u8]) -> Option<Sealed> {
    if content.len() > MAX_CONTENT {
        return None;
    }
    let random = SystemRandom::new();
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random).ok()?;
    let public: [u8; 65] = own.compute_public_key().ok()?.as_ref().try_into().ok()?;
    let mut salt = [0; 16];
    random.fill(&mut salt).ok()?;
    let theirs = UnparsedPublicKey::new(&ECDH_P256, target.p256dh);
    let padded = content.len().next_multiple_of(STEP).min(MAX_CONTENT);
    agree_ephemeral(own, &theirs, |secret| Agreed { target, public, salt, secret }.seal(content, padded))
        .ok()?
}

/// What both sides know after the key agreement.
struct Agreed<'a> {
    target: &'a PushTarget,
    /// Our public key for this message.
    public: [u8; 65],
    salt: [u8; 16],
    secret: &'a [u8],
}

impl Agreed<'_> {
    /// The header with our key, then the content and zeros up to `padded`, encrypted.
    fn seal(&self, content: &[u8], padded: usize) -> Option<Sealed> {
        let (key, nonce) = self.key()?;
        let mut record = content.to_vec();
        record.push(END);
        record.resize(padded.max(content.len()) + 1, 0);
        let tag = key.seal_in_place_separate_tag(nonce, Aad::empty(), &mut record).ok()?;
        let mut body = Vec::with_capacity(86 + record.len() + tag.as_ref().len());
        body.extend(self.salt);
        body.extend(RECORD.to_be_bytes());
        body.push(self.public.len() as u8);
        body.extend(self.public);
        body.extend(record);
        body.extend(tag.as_ref());
        Some(Sealed(body))
    }

    fn key(&self) -> Option<(LessSafeKey, Nonce)> {
        let mut input = [0; 32];
        let info: [&[u8]; 3] = [b"WebPush: info\0", &self.target.p256dh, &self.public];
        derive(&self.target.auth, self.secret, &info, &mut input)?;
        let (mut key, mut nonce) = ([0; 16], [0; 12]);
        derive(&self.salt, &input, &[b"Content-Encoding: aes128gcm\0"], &mut key)?;
        derive(&self.salt, &input, &[b"Content-Encoding: nonce\0"], &mut nonce)?;
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
        Some((key, Nonce::assume_unique_for_key(nonce)))
    }
}

/// HKDF, both steps (extract and expand).
fn derive(salt: &[u8], input: &[u8], info: &[&[u8]], out: &mut [u8]) -> Option<()> {
    struct Length(usize);

    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }

    let length = Length(out.len());
    Salt::new(HKDF_SHA256, salt).extract(input).expand(info, length).ok()?.fill(out).ok()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).expect("base64")
    }

    /// The example of RFC 8291, appendix A, beginning with the agreed secret: ring cannot use a given key for the
    /// agreement itself.
    #[test]
    fn the_example_of_the_standard_comes_out() {
        let target = PushTarget::parse(
            "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        )
        .expect("a target");
        let public =
            bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let agreed = Agreed {
            target: &target,
            public: public.try_into().expect("a point"),
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().expect("a salt"),
            secret: &bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"),
        };
        let content = b"When I grow up, I want to be a watermelon";
        let sealed = agreed.seal(content, content.len()).expect("sealed");
        assert_eq!(
            URL_SAFE_NO_PAD.encode(sealed.0),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn lengths_say_little_and_are_bounded() {
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).expect("a key");
        let public = own.compute_public_key().expect("its public half");
        let target = |p256dh| PushTarget { endpoint: "https://push.example".into(), p256dh, auth: [7; 16] };
        let good = target(public.as_ref().try_into().expect("a point"));
        let length = |n| seal(&good, &vec![b'x'; n]).map(|sealed| sealed.0.len());
        assert_eq!((length(1), length(256), length(257)), (Some(359), Some(359), Some(615)));
        assert_eq!((length(MAX_CONTENT), length(MAX_CONTENT + 1)), (Some(4_096), None));
        let mut nowhere = [1; 65];
        nowhere[0] = 4;
        assert_eq!(seal(&target(nowhere), b"x"), None, "no point of the curve");
    }
}
