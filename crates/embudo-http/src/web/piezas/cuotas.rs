//! How often the public may do what costs us something: new leads and photos per address, leads per company.
//!
//! Counted in this process's memory with a window that slides (two fixed ones, the older fading), so that nothing must be swept
//! and memory is bounded. It must not read clocks.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use embudo_domain::{EmpresaId, Timestamp};

use super::Fallo;

/// Keys counted one by one in a window; whoever comes later shares one count.
const MAX_CLAVES: usize = 65_536;
const HORA_S: i64 = 3_600;
const DIA_S: i64 = 24 * HORA_S;

/// The quotas of the form; 0 is none at all.
#[derive(Debug, Clone, Copy)]
pub struct Cuota {
    /// New leads an hour from one address.
    pub leads_hora: u32,
    /// Photos an hour from one address.
    pub fotos_hora: u32,
    /// New leads a day for one company.
    pub leads_dia_empresa: u32,
}

impl Default for Cuota {
    fn default() -> Self {
        Self { leads_hora: 10, fotos_hora: 60, leads_dia_empresa: 500 }
    }
}

/// What was done so far.
#[derive(Debug)]
pub(crate) struct Cuotas {
    leads: Mutex<Ventana<IpAddr>>,
    fotos: Mutex<Ventana<IpAddr>>,
    empresas: Mutex<Ventana<EmpresaId>>,
}

impl Cuotas {
    pub fn new(cuota: Cuota) -> Self {
        Self {
            leads: Mutex::new(Ventana::new(cuota.leads_hora, HORA_S)),
            fotos: Mutex::new(Ventana::new(cuota.fotos_hora, HORA_S)),
            empresas: Mutex::new(Ventana::new(cuota.leads_dia_empresa, DIA_S)),
        }
    }

    /// Counts a new lead, or says how long to wait.
    pub fn lead(&self, ip: IpAddr, empresa: EmpresaId, ahora: Timestamp) -> Result<(), Fallo> {
        let ahora = ahora.as_second();
        anotar(&self.leads, subscriber(ip), 1, ahora)?;
        anotar(&self.empresas, empresa, 1, ahora)
    }

    /// Counts photos, or says how long to wait.
    pub fn fotos(&self, ip: IpAddr, cuantas: u32, ahora: Timestamp) -> Result<(), Fallo> {
        anotar(&self.fotos, subscriber(ip), cuantas, ahora.as_second())
    }
}

fn anotar<K: Eq + Hash + Copy>(
    ventana: &Mutex<Ventana<K>>,
    clave: K,
    cuantas: u32,
    ahora: i64,
) -> Result<(), Fallo> {
    let mut ventana = ventana.lock().unwrap_or_else(PoisonError::into_inner);
    ventana.anotar(clave, cuantas, ahora).map_err(Fallo::Demasiado)
}

/// An IPv6 address stands for its /64, which is what one subscriber is given.
pub(super) fn subscriber(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
    }
}

#[derive(Debug)]
struct Ventana<K> {
    limite: u32,
    dura_s: i64,
    numero: i64,
    esta: HashMap<Option<K>, u32>,
    anterior: HashMap<Option<K>, u32>,
}

impl<K: Eq + Hash + Copy> Ventana<K> {
    fn new(limite: u32, dura_s: i64) -> Self {
        Self { limite, dura_s, numero: 0, esta: HashMap::new(), anterior: HashMap::new() }
    }

    /// Counts, or says in how many seconds there may be room.
    fn anotar(&mut self, clave: K, cuantas: u32, ahora: i64) -> Result<(), u64> {
        self.pasar_a(ahora.div_euclid(self.dura_s));
        let pasado_s = ahora.rem_euclid(self.dura_s);
        let llena = self.esta.len() >= MAX_CLAVES && !self.esta.contains_key(&Some(clave));
        let clave = (!llena).then_some(clave);
        // In whole numbers: what is left of the older window, rounded down, in favour of the person.
        let queda = u64::try_from(self.dura_s - pasado_s).unwrap_or(0);
        let dura = u64::try_from(self.dura_s).unwrap_or(1);
        let antes = u64::from(self.anterior.get(&clave).copied().unwrap_or(0)) * queda / dura;
        let esta = self.esta.entry(clave).or_insert(0);
        if antes + u64::from(*esta) + u64::from(cuantas) > u64::from(self.limite) {
            return Err(queda.clamp(60, 3_600));
        }
        *esta = esta.saturating_add(cuantas);
        Ok(())
    }

    fn pasar_a(&mut self, numero: i64) {
        match numero - self.numero {
            0 => return,
            1 => self.anterior = std::mem::take(&mut self.esta),
            _ => {
                self.anterior = HashMap::new();
                self.esta = HashMap::new();
            }
        }
        self.numero = numero;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(texto: &str) -> IpAddr {
        texto.parse().expect("an address")
    }

    #[test]
    fn ten_an_hour_and_then_a_pause() {
        let cuotas = Cuotas::new(Cuota::default());
        let empresa = EmpresaId(uuid::Uuid::nil());
        let a_las = |s| Timestamp::from_second(s).expect("a moment");
        for _ in 0..10 {
            assert_eq!(cuotas.lead(ip("192.0.2.1"), empresa, a_las(0)), Ok(()));
        }
        assert!(matches!(cuotas.lead(ip("192.0.2.1"), empresa, a_las(1)), Err(Fallo::Demasiado(_))));
        assert_eq!(cuotas.lead(ip("192.0.2.2"), empresa, a_las(1)), Ok(()), "others are not touched");
        assert!(cuotas.lead(ip("192.0.2.1"), empresa, a_las(3_600)).is_err(), "the last hour still counts");
        assert_eq!(cuotas.lead(ip("192.0.2.1"), empresa, a_las(3_600 + 1_800)), Ok(()));
    }

    #[test]
    fn a_company_has_its_day_and_photos_their_own_count() {
        let cuotas = Cuotas::new(Cuota { leads_dia_empresa: 2, fotos_hora: 5, ..Cuota::default() });
        let empresa = EmpresaId(uuid::Uuid::nil());
        let ahora = Timestamp::UNIX_EPOCH;
        assert!(cuotas.lead(ip("192.0.2.1"), empresa, ahora).is_ok());
        assert!(cuotas.lead(ip("192.0.2.2"), empresa, ahora).is_ok());
        assert!(cuotas.lead(ip("192.0.2.3"), empresa, ahora).is_err());
        assert!(cuotas.fotos(ip("2001:db8::1"), 5, ahora).is_ok());
        assert!(cuotas.fotos(ip("2001:db8::2"), 1, ahora).is_err(), "the same /64");
    }
}
