//! Parsing a sifted body gives the same result, or the same errors, as parsing the whole body.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::image::{Content, Image};
use crate::ingesta::{Ingesta, Item};
use crate::{Body, Invalid};

const SMALL: SieveSettings = SieveSettings { from_chars: 40, piece_bytes: 33, most_photos: 3 };

/// Sifts a body that arrives in these pieces. Also returns the photos that were set aside.
fn sift<'a>(
    settings: SieveSettings,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Rest, HashMap<Digest, Vec<u8>>) {
    let (mut sieve, mut photos) = (Sieve::new(settings), HashMap::new());
    let mut out: Vec<Vec<u8>> = Vec::new();
    for mut data in pieces {
        loop {
            let why = sieve.push(&mut data);
            if matches!(why, Sifted::Full | Sifted::Photo) {
                let (buffer, filled) = sieve.decoded();
                out.push(buffer[..filled].to_vec());
                sieve.give_back(buffer);
            }
            match why {
                Sifted::All => break,
                Sifted::Full => {}
                Sifted::Photo => {
                    let bytes = std::mem::take(&mut out).concat();
                    let digest = Digest::of(&bytes);
                    photos.insert(digest, bytes);
                    sieve.name(digest);
                }
                Sifted::Undo => {
                    out.drain(..).for_each(|piece| sieve.restore(&piece));
                    sieve.restored();
                }
            }
        }
        assert!(data.is_empty());
    }
    (sieve.finish(), photos)
}

/// Reads the rest of a body, with the photos put back in their places.
fn read(rest: &Rest, photos: &HashMap<Digest, Vec<u8>>) -> Result<Ingesta, Invalid> {
    let mut read = Ingesta::read_rest(rest)?;
    for item in &mut read.items {
        if let Item::Foto(foto) = item
            && let Image::DataUri { content, .. } = &mut foto.image
            && let Content::Aside(digest) = content
        {
            *content = Content::Canonical(photos[digest].clone());
        }
    }
    Ok(read)
}

fn payload() -> impl Strategy<Value = String> {
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let canonical = bytes.prop_map(|bytes| {
        let text = crate::image::recompose("", &bytes);
        assert!(text.len().is_multiple_of(4));
        text
    });
    let odd = select(vec![
        "=", "==", "A", "-", "_", "*", " ", "\\n", "\\/", "\\u002f", "\\u0000", "\\\"", "\\x", "\n", "ñ",
        "\\ud800", "\\\\", "",
    ]);
    (canonical, any::<prop::sample::Index>(), odd, 0..6_u8).prop_map(|(mut text, at, odd, how)| {
        match how {
            0 => text.insert_str(at.index(text.len() + 1), odd),
            1 => text.push_str(odd),
            2 => text.truncate(at.index(text.len() + 1)),
            3 => text = text.replace('/', "\\/"),
            _ => {}
        }
        text
    })
}

fn image() -> impl Strategy<Value = String> {
    let head = select(vec![
        "data:image/jpeg;base64,",
        "data:image\\/png;base64,",
        "DATA:image/svg+xml;charset=utf-8;BASE64,",
        "data:image/png,",
        "data:text/plain;base64,",
        "data:image/ñ;base64,",
        "https://a/",
        "",
    ]);
    (head, payload()).prop_map(|(head, payload)| format!("\"{head}{payload}\""))
}

fn item() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        4 => image().prop_map(|image| format!("\"imagen\": {image}")),
        1 => image().prop_map(|image| format!("\"imag\\u0065n\":{image}")),
        1 => image().prop_map(|image| format!("\"otra\":{{\"imagen\":[{image},{{\"imagen\" :\n{image}}}]}}")),
        3 => select(vec![
            "\"tipo\":\"foto\"", "\"tipo\" : \"texto\"", "\"texto\":\"imagen\"", "\"zona\":\"cocina\"",
            "\"zona\":\"luna\"", "\"imagen\":null", "\"imagen\":7", "\"texto\":\"a \\\"imagen\\\": b\"",
            "\n\"orden\": 2.5", "\"momento\":\"imagen\"",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(field, 0..5).prop_map(|mut fields| {
        if fields.len() < 4 {
            fields.push("\"tipo\":\"foto\"".to_owned());
        }
        format!("{{{}}}", fields.join(","))
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let items = prop::collection::vec(item(), 0..4);
    let frame = select(vec![
        ("{\"items\":[", "]}"),
        ("\u{feff}{\n \"items\" : [", "] , \"finalizar\":true}"),
        ("{\"items\":[", "],\"items\":[{\"tipo\":\"texto\",\"texto\":\"x\"}]}"),
        ("{\"items\":[", ""),
    ]);
    let harm = prop::option::weighted(0.2, (any::<prop::sample::Index>(), any::<u8>(), any::<bool>()));
    (items, frame, harm).prop_map(|(items, (begin, end), harm)| {
        let mut body = format!("{begin}{}{end}", items.join(", ")).into_bytes();
        if let Some((at, byte, cut)) = harm {
            let at = at.index(body.len());
            body[at] = byte;
            if cut {
                body.truncate(at);
            }
        }
        body
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sifted_body_says_what_the_whole_one_says(body in body(), size in 1..60_usize) {
        let (rest, photos) = sift(SMALL, body.chunks(size));
        prop_assert_eq!(read(&rest, &photos), Ingesta::read(&body));
        let (at_once, _) = sift(SMALL, [&body[..]]);
        prop_assert_eq!(&rest.kept, &at_once.kept, "what is set aside depends on the pieces");
        prop_assert!(rest.trace().eq(at_once.trace()));
    }
}

#[test]
fn a_head_alone_is_left_to_the_parser() {
    let head = "DATA:image/svg+xml;charset=utf-8;BASE64,";
    assert_eq!(head.len(), SMALL.from_chars, "it is looked at where its payload would begin");
    let body = format!("{{\"items\":[{{\"imagen\":\"{head}\",\"tipo\":\"foto\"}}]}}");
    let (rest, photos) = sift(SMALL, [body.as_bytes()]);
    assert_eq!(read(&rest, &photos), Ingesta::read(body.as_bytes()));
}

#[test]
fn a_border_may_lie_anywhere() {
    let photo = crate::image::recompose("data:image/jpeg;base64,", &[7; 100]);
    for text in [photo.clone(), photo.replace('/', "\\/"), photo.replace('=', ""), photo + "\\n"] {
        let body = format!("{{\"items\":[{{\"imagen\":\"{text}\",\"tipo\":\"foto\"}},{{}}]}}");
        for first in 0..=body.len() {
            let (a, b) = body.as_bytes().split_at(first);
            let (rest, photos) = sift(SMALL, [a, b]);
            assert_eq!(read(&rest, &photos), Ingesta::read(body.as_bytes()), "{text} at {first}");
        }
    }
}

#[test]
fn a_photo_is_set_aside_and_its_place_is_kept() {
    let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n * 31) as u8).collect();
    let photo = crate::image::recompose("data:image/jpeg;base64,", &bytes);
    let body = format!("{{\"items\":[{{\"tipo\":\"foto\",\"imagen\":\"{photo}\"}}],\n \"x\": ?}}");
    let (rest, photos) = sift(SieveSettings::default(), body.as_bytes().chunks(65_521));
    assert_eq!(photos.get(&rest.photos[0].digest), Some(&bytes));
    assert!(rest.kept.len() < 100, "{}", rest.kept.len());
    assert_eq!(read(&rest, &photos), Ingesta::read(body.as_bytes()));
    let long_line = body.replace('\n', "");
    let (rest, photos) = sift(SieveSettings::default(), [long_line.as_bytes()]);
    assert_eq!(read(&rest, &photos), Ingesta::read(long_line.as_bytes()));
}

#[test]
fn more_photos_than_files_may_be_open_are_kept() {
    let photo = crate::image::recompose("data:image/jpeg;base64,", &[7; 100]);
    let body = format!("{{\"items\":[{}]}}", vec![format!("{{\"imagen\":\"{photo}\"}}"); 5].join(","));
    let (rest, photos) = sift(SMALL, [body.as_bytes()]);
    assert_eq!((rest.photos.len(), photos.len()), (3, 1));
    assert_eq!(read(&rest, &photos), Ingesta::read(body.as_bytes()));
}
