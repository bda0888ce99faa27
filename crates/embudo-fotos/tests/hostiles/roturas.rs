//! Good pictures cut and changed: at every kind of place, and at random with a seed.

use image::ImageFormat;

use crate::Caso;
use crate::muestras::{
    cuartos, cuartos_con_hueco, en, jpeg, jpeg_con_exif, jpeg_progresivo, webp_animada,
    webp_con_perdida_y_alfa,
};

fn bases() -> Vec<(&'static str, Vec<u8>)> {
    let imagen = cuartos(48, 32);
    vec![
        ("JPEG", jpeg_con_exif(&jpeg(&imagen), 6)),
        ("progressive JPEG", jpeg_progresivo(&imagen)),
        ("PNG", en(ImageFormat::Png, cuartos_con_hueco(48, 32))),
        ("GIF", en(ImageFormat::Gif, cuartos_con_hueco(48, 32))),
        ("lossless WebP", en(ImageFormat::WebP, imagen)),
        ("lossy WebP", webp_con_perdida_y_alfa()),
        ("animated WebP", webp_animada()),
    ]
}

pub fn casos() -> Vec<Caso> {
    let mut casos = Vec::new();
    let mut azar = Azar(0x00E5_B0D0);
    for (nombre, bytes) in bases() {
        // Every place in the headers, and then some.
        let cortes = (0..bytes.len()).filter(|n| *n < 64 || n % (bytes.len() / 40).max(1) == 0);
        for n in cortes {
            casos.push(Caso::nuevo(format!("{nombre} cut at {n}"), bytes[..n].to_vec()));
        }
        for vez in 0..80 {
            let mut rota = bytes.clone();
            for _ in 0..=azar.hasta(8) {
                let en = azar.hasta(rota.len());
                match azar.hasta(4) {
                    0 => rota[en] = azar.byte(),
                    1 => rota[en] ^= 1 << azar.hasta(8),
                    2 => rota[en] = [0, 0xFF, 0x7F, 0x80][azar.hasta(4)],
                    _ => {
                        let hasta = (en + azar.hasta(16)).min(rota.len() - 1);
                        rota.copy_within(en..hasta, azar.hasta(en + 1));
                    }
                }
            }
            casos.push(Caso::nuevo(format!("{nombre} changed, {vez}"), rota));
        }
    }
    casos
}

/// Xorshift: the same pictures on every run.
struct Azar(u64);

impl Azar {
    fn hasta(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.hasta(256)).expect("a byte")
    }
}
