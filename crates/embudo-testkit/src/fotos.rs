//! Pictures for tests: some are only distinct bytes, others are photos that can be decoded.

/// Bytes that start like a JPEG and differ by `seed`.
pub fn fake_jpeg(seed: u64, size: usize) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE0];
    fill(&mut bytes, seed, size.max(4));
    bytes
}

/// A tiny JPEG that can be decoded. At least eight bytes after its end depend on `seed`, and fill it up to `size`.
pub fn tiny_jpeg(seed: u64, size: usize) -> Vec<u8> {
    let mut bytes = jpeg(8, 8);
    let size = size.max(bytes.len() + 8);
    fill(&mut bytes, seed, size);
    bytes
}

fn fill(bytes: &mut Vec<u8>, seed: u64, size: usize) {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    while bytes.len() < size {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    bytes.truncate(size);
}

/// The canonical data URI of these bytes.
pub fn data_uri(bytes: &[u8]) -> String {
    embudo_domain::image::recompose("data:image/jpeg;base64,", bytes)
}

/// A real photo: a wall in two colours, with a frame that shows which side is up.
pub fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let (w, h) = (usize::from(width), usize::from(height));
    let pixel = |i: usize| {
        let (x, y) = (i % w, i / w);
        let frame = x < w / 16 || y < h / 8;
        if frame { [40, 60, 90] } else { [220, (200 * y / h) as u8, (200 * x / w) as u8] }
    };
    let pixels: Vec<u8> = (0..w * h).flat_map(pixel).collect();
    let mut bytes = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut bytes, 85);
    encoder.encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb).expect("the picture has its size");
    bytes
}
