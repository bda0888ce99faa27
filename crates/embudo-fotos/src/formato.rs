//! What a file is, by its first bytes. A declared type or a file's name is never asked.

use crate::Motivo;

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Formato {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    WebP,
    /// GIF, its first picture.
    Gif,
}

/// How far into a text we look for what kind of text it is.
const TEXTO_MAX: usize = 4096;

impl Formato {
    /// Tells a format by its first bytes, or why there is none.
    pub fn de(bytes: &[u8]) -> Result<Self, Motivo> {
        match bytes {
            [] => Err(Motivo::Vacia),
            [0xFF, 0xD8, 0xFF, ..] => Ok(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Ok(Self::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Ok(Self::WebP),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Err(caja(bytes)),
            _ => Err(otro(bytes)),
        }
    }
}

/// An ISO media file: a HEIC or AVIF picture, or a video. The major brand may be the neutral `mif1`, so the
/// compatible ones are read too.
fn caja(bytes: &[u8]) -> Motivo {
    let largo = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    let marcas = &bytes[8..bytes.len().min(largo.clamp(12, 512)).max(8)];
    let es = |buscadas: &[&[u8; 4]]| marcas.chunks_exact(4).any(|m| buscadas.iter().any(|b| *b == m));
    if es(&[b"avif", b"avis"]) {
        Motivo::Avif
    } else if es(&[b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"])
    {
        Motivo::Heic
    } else {
        Motivo::NoEsImagen
    }
}

/// Pictures that we know by name only, drawings in text, and the rest.
fn otro(bytes: &[u8]) -> Motivo {
    const NOMBRES: [(&[u8], &str); 8] = [
        (b"II*\0", "TIFF"),
        (b"MM\0*", "TIFF"),
        (b"BM", "BMP"),
        (b"\0\0\x01\0", "ICO"),
        (b"8BPS", "PSD"),
        (b"\xFF\x0A", "JPEG XL"),
        (b"\0\0\0\x0CJXL \r\n\x87\n", "JPEG XL"),
        (b"\0\0\0\x0CjP  \r\n\x87\n", "JPEG 2000"),
    ];
    if let Some((_, nombre)) = NOMBRES.iter().find(|(magia, _)| bytes.starts_with(magia)) {
        return Motivo::OtroFormato(nombre);
    }
    if es_svg(bytes) { Motivo::Svg } else { Motivo::NoEsImagen }
}

/// A text that opens with a tag and names an `svg` element early on. HTML around a drawing counts as a page.
fn es_svg(bytes: &[u8]) -> bool {
    let texto = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if texto.first() != Some(&b'<') {
        return false;
    }
    let inicio = texto[..texto.len().min(TEXTO_MAX)].to_ascii_lowercase();
    let tiene = |aguja: &[u8]| inicio.windows(aguja.len()).any(|v| v == aguja);
    (tiene(b"<svg") || tiene(b"<!doctype svg") || tiene(b":svg")) && !tiene(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_bytes() {
        let casos: [(&[u8], Result<Formato, Motivo>); 22] = [
            (b"", Err(Motivo::Vacia)),
            (b"\xFF\xD8\xFF\xE0", Ok(Formato::Jpeg)),
            (b"\xFF\xD8", Err(Motivo::NoEsImagen)),
            (b"\x89PNG\r\n\x1A\n", Ok(Formato::Png)),
            (b"\x89PNG\n\x1A\n", Err(Motivo::NoEsImagen)),
            (b"GIF89a", Ok(Formato::Gif)),
            (b"GIF88a", Err(Motivo::NoEsImagen)),
            (b"RIFF\0\0\0\0WEBP", Ok(Formato::WebP)),
            (b"RIFF\0\0\0\0WAVE", Err(Motivo::NoEsImagen)),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Err(Motivo::Heic)),
            (b"\0\0\0\x1Cftypmif1\0\0\0\0mif1avifmiaf", Err(Motivo::Avif)),
            (b"\0\0\0\x18ftypavif\0\0\0\0mif1", Err(Motivo::Avif)),
            (b"\0\0\0\x18ftypmp42\0\0\0\0isom", Err(Motivo::NoEsImagen)),
            (b"\0\0\0\x01ftyp", Err(Motivo::NoEsImagen)),
            (b"II*\0", Err(Motivo::OtroFormato("TIFF"))),
            (b"BM....", Err(Motivo::OtroFormato("BMP"))),
            (b" \n<svg xmlns='http://www.w3.org/2000/svg'/>", Err(Motivo::Svg)),
            (b"\xEF\xBB\xBF<?xml version='1.0'?><!-- x --><SVG/>", Err(Motivo::Svg)),
            (b"<?xml version='1.0'?><s:svg xmlns:s='http://www.w3.org/2000/svg'/>", Err(Motivo::Svg)),
            (b"<!doctype html><html><svg></svg></html>", Err(Motivo::NoEsImagen)),
            (b"%PDF-1.7\n\xFF\xD8\xFF", Err(Motivo::NoEsImagen)),
            (b"PK\x03\x04", Err(Motivo::NoEsImagen)),
        ];
        for (bytes, esperado) in casos {
            assert_eq!(Formato::de(bytes), esperado, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
