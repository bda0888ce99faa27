//! A push service and browsers that are subscribed to it. The service receives messages over TLS and checks their
//! signature; the browser decrypts them. Both are implemented directly from RFC 8291 and RFC 8292, independently of the
//! product's sender, so that an error on either side makes a test fail.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_delivery::fetch::{Fetcher, Rules};
use embudo_domain::push::PushTarget;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{self, ECDSA_P256_SHA256_FIXED};
use serde_json::Value;

use crate::receiver::{Manner, Received, Receiver};
use crate::stream::Certificate;

/// The push service. Its requests and its behaviour are those of a `Receiver`.
pub struct PushService {
    pub receiver: Receiver,
    ca_pem: String,
}

impl PushService {
    /// Starts a service that answers 201, as the standard requires.
    pub async fn start() -> Self {
        let certificate = Certificate::for_("127.0.0.1");
        let ca_pem = certificate.ca_pem.clone();
        let receiver = Receiver::with_tls(certificate).await;
        receiver.always(Manner::state(201));
        Self { receiver, ca_pem }
    }

    /// A fetcher that may send to this service, although its address is private.
    pub fn guard(&self) -> Fetcher {
        let allowed = vec![self.receiver.address.to_string().parse().unwrap()];
        Fetcher::new(Rules { allowed, ca_pem: Some(self.ca_pem.clone().into_bytes()), ..Rules::default() })
            .unwrap()
    }

    /// Creates a browser that is subscribed here.
    pub fn browser(&self, name: &str) -> PushBrowser {
        PushBrowser::at(format!("https://{}/envio/{name}", self.receiver.address))
    }

    /// The last message for a browser.
    pub fn last_for(&self, browser: &PushBrowser) -> Option<Received> {
        let path = format!("/{}", browser.endpoint.splitn(4, '/').nth(3).unwrap());
        self.receiver.received().into_iter().rfind(|received| received.path == path)
    }

    /// The claims of a message's signature, and the key named in the message. Asserts that the key made the signature.
    pub fn claims(&self, received: &Received) -> (Value, String) {
        let word = received.header("authorization").unwrap().strip_prefix("vapid t=").unwrap();
        let (token, key) = word.split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        signature::UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decoded(key))
            .verify(signed.as_bytes(), &decoded(signature))
            .expect("the signature is the key's");
        let (head, claims) = signed.split_once('.').unwrap();
        let head: Value = serde_json::from_slice(&decoded(head)).unwrap();
        assert_eq!(head["alg"], "ES256");
        (serde_json::from_slice(&decoded(claims)).unwrap(), key.to_owned())
    }
}

/// A browser with its keys. Its private key can be used only once, so it decrypts only one message.
pub struct PushBrowser {
    pub endpoint: String,
    private: EphemeralPrivateKey,
    public: [u8; 65],
    auth: [u8; 16],
}

impl PushBrowser {
    /// A browser whose push service has this address.
    pub fn at(endpoint: String) -> Self {
        let random = SystemRandom::new();
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &random).unwrap();
        let public = private.compute_public_key().unwrap().as_ref().try_into().unwrap();
        let mut auth = [0; 16];
        random.fill(&mut auth).unwrap();
        Self { endpoint, private, public, auth }
    }

    /// The subscription as a page sends it: endpoint, key and secret.
    pub fn subscription(&self) -> [String; 3] {
        [self.endpoint.clone(), URL_SAFE_NO_PAD.encode(self.public), URL_SAFE_NO_PAD.encode(self.auth)]
    }

    pub fn target(&self) -> PushTarget {
        let [endpoint, key, auth] = self.subscription();
        PushTarget::parse(&endpoint, &key, &auth).unwrap()
    }

    /// Decrypts a message for this browser.
    pub fn read(self, received: &Received) -> Value {
        assert_eq!(received.header("content-encoding"), Some("aes128gcm"));
        let (salt, rest) = received.body.split_at(16);
        let (size, rest) = rest.split_at(4);
        let size = u32::from_be_bytes(size.try_into().unwrap()) as usize;
        let (sender, record) = rest[1..].split_at(usize::from(rest[0]));
        assert!(record.len() <= size && received.body.len() <= 4_096, "one record that every service takes");
        let theirs = UnparsedPublicKey::new(&ECDH_P256, sender);
        let (public, auth) = (self.public, self.auth);
        let input = agree_ephemeral(self.private, &theirs, |secret| {
            let info = [b"WebPush: info\0".as_slice(), &public, sender].concat();
            derive(&auth, secret, &info)
        })
        .unwrap();
        let key = derive(salt, &input, b"Content-Encoding: aes128gcm\0");
        let nonce = derive(salt, &input, b"Content-Encoding: nonce\0");
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16]).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).unwrap();
        let mut record = record.to_vec();
        let plain =
            key.open_in_place(nonce, Aad::empty(), &mut record).expect("it was encrypted for this browser");
        let end = plain.iter().rposition(|byte| *byte != 0).unwrap();
        assert_eq!(plain[end], 2, "the mark of the last record");
        serde_json::from_slice(&plain[..end]).unwrap()
    }
}

/// HKDF for at most one block of output.
fn derive(salt: &[u8], input: &[u8], info: &[u8]) -> [u8; 32] {
    let mac = |key: &[u8], text: &[u8]| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text);
    let middle = mac(salt, input);
    mac(middle.as_ref(), &[info, &[1]].concat()).as_ref().try_into().unwrap()
}

fn decoded(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}
