//! Passes: signed tokens in an address that open one thing to their holder, without an account.
//!
//! A pass holds its purpose, the id of its thing and its expiry (or none), and carries an HMAC-SHA256 over all of it.
//! Whether a pass has expired is checked only after its signature matched. If the passes to a thing were revoked, later
//! passes carry a generation number; the caller decides whether that generation is still valid.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp, UserId, VisitaId};
use hmac::Mac as _;
use uuid::Uuid;

use crate::signature::hmac;

const PURPOSE: &[u8] = b"embudo/pase/v1";
/// Prefix of what [`Passes::veil`] hashes. No pass begins with it, so no such hash can serve as a pass's HMAC.
const VEIL: &[u8] = b"embudo/conteo/v1/";
/// Purpose, id and expiry: the signed part.
const SIGNED_BYTES: usize = 1 + 16 + 8;
/// The generation number. The first generation has none.
const GENERATION_BYTES: usize = 2;
/// The company in a ticket.
const EMPRESA_BYTES: usize = 16;
/// Half of the HMAC: 128 bits cannot be guessed, and the address stays short enough for a QR code.
const MAC_BYTES: usize = 16;

/// The class of passes to consents. They stay valid even when their secret is retired.
const CONSENTS: u8 = 3;
/// The class of tickets, which also name a company and have no generations.
const TICKET: u8 = 4;

/// What a pass opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The form of a lead, to go on with it.
    Form(LeadId),
    /// A quote's page.
    Presupuesto(PresupuestoId),
    /// The page where a lead's consents are withdrawn.
    Consentimientos(LeadId),
    /// Opens nothing: a ticket in a company's form. Its id holds the time at which the form was shown.
    Ticket { id: Uuid, empresa: EmpresaId },
    /// The set-up of the panel, while nobody can sign in. It holds no id.
    SetUp,
    /// The page where a client chooses, moves or cancels a visit.
    Visita(VisitaId),
    /// Opens nothing: it shows that this person has signed in with this browser before, so that the browser has its own
    /// quota of attempts.
    Device(UserId),
}

/// Why a pass opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPass {
    /// The pass was not signed by us, or it was changed.
    #[error("the pass is not one of ours")]
    False,
    /// The pass was valid, but its time is over.
    #[error("the pass has expired")]
    Expired,
}

/// Makes and reads passes.
#[derive(Clone)]
pub struct Passes {
    key: [u8; 32],
    /// Keys of former secrets: passes signed with them are read, but none is written.
    previous: Vec<[u8; 32]>,
    /// Keys of retired secrets: passes signed with them open nothing any more, except for consents, because a consent
    /// can be withdrawn at any time.
    retired: Vec<[u8; 32]>,
}

impl Passes {
    /// Derives the key from a secret that every process on one database shares.
    pub fn new(secret: &[u8]) -> Self {
        Self { key: derived(secret), previous: Vec::new(), retired: Vec::new() }
    }

    /// Also reads passes that were signed with a former secret.
    #[must_use]
    pub fn with_previous(mut self, secret: &[u8]) -> Self {
        self.previous.push(derived(secret));
        self
    }

    /// Accepts passes to consents that were signed with this retired secret. With a stolen secret of this kind somebody
    /// can withdraw consents, and nothing else.
    #[must_use]
    pub fn with_retired(mut self, secret: &[u8]) -> Self {
        self.retired.push(derived(secret));
        self
    }

    /// A keyed hash (HMAC). Equal bytes with the same purpose have equal hashes in every process that shares the
    /// secret. The hash does not reveal the bytes.
    pub fn veil(&self, purpose: &str, bytes: &[u8]) -> [u8; MAC_BYTES] {
        let key = hmac(&self.key).chain_update(VEIL).chain_update(purpose).finalize().into_bytes();
        let mac = hmac(&key).chain_update(bytes).finalize().into_bytes();
        mac[..MAC_BYTES].try_into().expect("a MAC is longer")
    }

    /// Writes a pass to a thing whose passes were never revoked. `expires`: `None` means never.
    pub fn write(&self, pass: Pass, expires: Option<Timestamp>) -> String {
        self.write_nth(pass, expires, 0)
    }

    /// Like `write`, for a thing whose passes were revoked this many times.
    pub fn write_nth(&self, pass: Pass, expires: Option<Timestamp>, generation: u16) -> String {
        let (class, id) = match pass {
            Pass::Form(lead) => (1, lead.0),
            Pass::Presupuesto(presupuesto) => (2, presupuesto.0),
            Pass::Consentimientos(lead) => (CONSENTS, lead.0),
            Pass::Ticket { id, .. } => (TICKET, id),
            Pass::SetUp => (5, Uuid::nil()),
            Pass::Visita(visita) => (6, visita.0),
            Pass::Device(user) => (7, user.0),
        };
        let mut bytes = vec![class];
        bytes.extend(id.as_bytes());
        bytes.extend(expires.map_or(i64::MAX, Timestamp::as_second).to_be_bytes());
        match pass {
            Pass::Ticket { empresa, .. } => bytes.extend(empresa.0.as_bytes()),
            _ if generation > 0 => bytes.extend(generation.to_be_bytes()),
            _ => {}
        }
        let mac = hmac(&self.key).chain_update(&bytes).finalize().into_bytes();
        bytes.extend(&mac[..MAC_BYTES]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a pass to a thing whose passes are never revoked, against the caller's clock.
    pub fn read(&self, text: &str, now: Timestamp) -> Result<Pass, InvalidPass> {
        match self.read_nth(text, now)? {
            (pass, 0) => Ok(pass),
            _ => Err(InvalidPass::False),
        }
    }

    /// What a pass was made for, even if it has expired. Only to choose the page on which the refusal is shown.
    pub fn named(&self, text: &str) -> Option<Pass> {
        self.read_nth(text, Timestamp::MIN).ok().map(|(pass, _)| pass)
    }

    /// Reads a pass; also returns its generation: after how many revocations it was written.
    pub fn read_nth(&self, text: &str, now: Timestamp) -> Result<(Pass, u16), InvalidPass> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidPass::False)?;
        let signed_bytes = bytes.len().checked_sub(MAC_BYTES).ok_or(InvalidPass::False)?;
        let is_whole = match bytes[0] {
            TICKET => signed_bytes == SIGNED_BYTES + EMPRESA_BYTES,
            _ => signed_bytes == SIGNED_BYTES || signed_bytes == SIGNED_BYTES + GENERATION_BYTES,
        };
        if !is_whole {
            return Err(InvalidPass::False);
        }
        let (signed, mac) = bytes.split_at(signed_bytes);
        let is_ours = |key: &[u8; 32]| hmac(key).chain_update(signed).verify_truncated_left(mac).is_ok();
        let is_of_consents = signed[0] == CONSENTS;
        let is_good = is_ours(&self.key)
            || self.previous.iter().any(is_ours)
            || is_of_consents && self.retired.iter().any(is_ours);
        if !is_good {
            return Err(InvalidPass::False);
        }
        let id = Uuid::from_slice(&signed[1..17]).map_err(|_| InvalidPass::False)?;
        let (expires, rest) = signed[17..].split_at(8);
        let expires = i64::from_be_bytes(expires.try_into().map_err(|_| InvalidPass::False)?);
        if now.as_second() >= expires {
            return Err(InvalidPass::Expired);
        }
        let pass = match signed[0] {
            1 => Pass::Form(LeadId(id)),
            2 => Pass::Presupuesto(PresupuestoId(id)),
            CONSENTS => Pass::Consentimientos(LeadId(id)),
            TICKET => {
                let empresa = Uuid::from_slice(rest).map_err(|_| InvalidPass::False)?;
                Pass::Ticket { id, empresa: EmpresaId(empresa) }
            }
            5 => Pass::SetUp,
            6 => Pass::Visita(VisitaId(id)),
            7 => Pass::Device(UserId(id)),
            _ => return Err(InvalidPass::False),
        };
        Ok((pass, rest.try_into().map_or(0, u16::from_be_bytes)))
    }
}

fn derived(secret: &[u8]) -> [u8; 32] {
    hmac(secret).chain_update(PURPOSE).finalize().into_bytes().into()
}

/// Does not show the key.
impl fmt::Debug for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pases")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn a_pass_opens_its_thing_until_it_ends() {
        let passes = Passes::new(b"un secreto");
        let id = Uuid::from_u128(7);
        let then = Timestamp::from_second(60).expect("a moment");
        for pass in [
            Pass::Form(LeadId(id)),
            Pass::Presupuesto(PresupuestoId(id)),
            Pass::Consentimientos(LeadId(id)),
            Pass::Ticket { id, empresa: EmpresaId(Uuid::from_u128(8)) },
            Pass::SetUp,
            Pass::Visita(VisitaId(id)),
            Pass::Device(UserId(id)),
        ] {
            assert_eq!(passes.read(&passes.write(pass, None), NOW), Ok(pass));
            let short = passes.write(pass, Some(then));
            assert_eq!(passes.read(&short, NOW), Ok(pass));
            assert_eq!(passes.read(&short, then), Err(InvalidPass::Expired));
            assert_eq!((passes.named(&short), passes.named("falso")), (Some(pass), None));
        }
    }

    #[test]
    fn a_pass_says_after_how_many_revocations_it_was_written() {
        let (passes, pass) =
            (Passes::new(b"un secreto"), Pass::Presupuesto(PresupuestoId(Uuid::from_u128(7))));
        assert_eq!(passes.read_nth(&passes.write(pass, None), NOW), Ok((pass, 0)));
        for generation in [1, 2, u16::MAX] {
            let text = passes.write_nth(pass, None, generation);
            assert_eq!(passes.read_nth(&text, NOW), Ok((pass, generation)));
            assert_eq!(
                passes.read(&text, NOW),
                Err(InvalidPass::False),
                "a reader that knows no generations refuses it"
            );
        }
    }

    #[test]
    fn a_secret_that_was_changed_still_opens_and_signs_nothing() {
        let pass = Pass::Form(LeadId(Uuid::from_u128(7)));
        let (before, now) = (Passes::new(b"antes"), Passes::new(b"ahora").with_previous(b"antes"));
        assert_eq!(now.read(&before.write(pass, None), NOW), Ok(pass));
        assert_eq!(now.write(pass, None), Passes::new(b"ahora").write(pass, None));
        assert_eq!(Passes::new(b"ahora").read(&before.write(pass, None), NOW), Err(InvalidPass::False));
    }

    #[test]
    fn a_retired_secret_opens_consents_and_nothing_else() {
        let id = Uuid::from_u128(7);
        let (before, now) = (Passes::new(b"antes"), Passes::new(b"ahora").with_retired(b"antes"));
        let consents = Pass::Consentimientos(LeadId(id));
        assert_eq!(now.read(&before.write(consents, None), NOW), Ok(consents));
        for pass in [
            Pass::Form(LeadId(id)),
            Pass::Presupuesto(PresupuestoId(id)),
            Pass::Ticket { id, empresa: EmpresaId(Uuid::from_u128(8)) },
            Pass::SetUp,
            Pass::Visita(VisitaId(id)),
            Pass::Device(UserId(id)),
        ] {
            assert_eq!(now.read(&before.write(pass, None), NOW), Err(InvalidPass::False), "{pass:?}");
        }
        assert_eq!(now.write(consents, None), Passes::new(b"ahora").write(consents, None));
    }

    #[test]
    fn a_veil_hides_and_tells_apart() {
        let (passes, others) = (Passes::new(b"un secreto"), Passes::new(b"otro"));
        let veil = passes.veil("red", b"192.0.2.1");
        assert_eq!(veil, passes.clone().veil("red", b"192.0.2.1"));
        for other in [
            passes.veil("red", b"192.0.2.2"),
            passes.veil("cuenta", b"192.0.2.1"),
            others.veil("red", b"192.0.2.1"),
        ] {
            assert_ne!(veil, other);
        }
    }

    #[test]
    fn every_changed_character_is_a_forgery() {
        let passes = Passes::new(b"un secreto");
        let id = Uuid::from_u128(7);
        let ticket = Pass::Ticket { id, empresa: EmpresaId(Uuid::from_u128(8)) };
        let good = passes.write(Pass::Form(LeadId(id)), None);
        for good in [&good, &passes.write(ticket, None)] {
            for i in 0..good.len() {
                let other = if good.as_bytes()[i] == b'A' { "Q" } else { "A" };
                let mut false_ = good.clone();
                false_.replace_range(i..=i, other);
                assert_eq!(passes.read(&false_, NOW), Err(InvalidPass::False), "{false_}");
            }
        }
        assert_eq!(Passes::new(b"otro").read(&good, NOW), Err(InvalidPass::False));
        for wrong in ["", "x", "ñ", &good[1..]] {
            assert_eq!(passes.read(wrong, NOW), Err(InvalidPass::False), "{wrong}");
        }
    }
}
