//! Files that are two things at once, or that are not what their first bytes say.

use embudo_fotos::Reason;
use image::ImageFormat;

use crate::Case;
use crate::samples::{at, jpeg, lossy_webp, quarters, quarters_with_gap, with_chunk, with_segment};

pub fn cases() -> Vec<Case> {
    [foreign(), doubles(), disguises()].into_iter().flatten().collect()
}

/// Files that are not supported pictures.
fn foreign() -> Vec<Case> {
    let ftyp = |marks: &[u8]| {
        let length = u32::try_from(marks.len() + 8).expect("short").to_be_bytes();
        [&length[..], b"ftyp", marks, &[0; 64]].concat()
    };
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="http://127.0.0.1/"/></svg>"#;
    let entities =
        br#"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>"#;
    let cases: Vec<(&str, Vec<u8>, Reason)> = vec![
        ("nothing", vec![], Reason::Empty),
        ("SVG", svg.to_vec(), Reason::Svg),
        ("SVG with entities", entities.to_vec(), Reason::Svg),
        ("HTML", b"<!doctype html><script>alert(1)</script>".to_vec(), Reason::NotAnImage),
        ("HEIC", ftyp(b"heic\0\0\0\0mif1heic"), Reason::Heic),
        ("HEIC, neutral", ftyp(b"mif1\0\0\0\0mif1heicmiaf"), Reason::Heic),
        ("AVIF", ftyp(b"avif\0\0\0\0avifmif1"), Reason::Avif),
        ("AVIF, neutral", ftyp(b"mif1\0\0\0\0mif1avif"), Reason::Avif),
        ("MP4", ftyp(b"isom\0\0\0\0isommp42"), Reason::NotAnImage),
        ("PDF", b"%PDF-1.7\n1 0 obj".to_vec(), Reason::NotAnImage),
        ("ZIP", b"PK\x03\x04\x14\0".to_vec(), Reason::NotAnImage),
        ("ELF", b"\x7FELF\x02\x01\x01".to_vec(), Reason::NotAnImage),
        ("TIFF", b"II*\0\x08\0\0\0".to_vec(), Reason::OtherFormat("TIFF")),
        ("BMP", b"BM\xFF\xFF\xFF\xFF".to_vec(), Reason::OtherFormat("BMP")),
        ("zeros", vec![0; 100_000], Reason::NotAnImage),
        ("ones", vec![0xFF; 100_000], Reason::NotAnImage),
        ("text", b"hola".repeat(1_000), Reason::NotAnImage),
    ];
    cases.into_iter().map(|(nombre, bytes, reason)| Case::expecting(nombre, bytes, reason)).collect()
}

/// Pictures with other data inside, before or after.
fn doubles() -> Vec<Case> {
    let picture = quarters(48, 32);
    let fotos = [
        ("JPEG", jpeg(&picture)),
        ("PNG", at(ImageFormat::Png, picture.clone())),
        ("GIF", at(ImageFormat::Gif, quarters_with_gap(48, 32))),
        ("WebP", lossy_webp()),
    ];
    let payloads: [(&str, &[u8]); 5] = [
        ("script", b"<script>alert(1)</script>"),
        ("PHP", b"<?php system($_GET[0]); ?>"),
        ("ZIP", b"PK\x03\x04\x14\0\0\0PK\x05\x06\0\0\0\0"),
        ("PDF", b"%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>"),
        ("a second picture", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0"),
    ];
    let mut cases = Vec::new();
    for (foto, bytes) in &fotos {
        for (payload, data) in payloads {
            cases.push(Case::new(format!("{foto} with {payload} behind"), [bytes, data].concat()));
            // Only a file that begins like a picture is one. One payload is itself the start of a JPEG, so no result is
            // expected.
            let before = [data, bytes].concat();
            cases.push(Case::new(format!("{foto} with {payload} before"), before));
        }
    }
    let mut gif_js = fotos[2].1.clone();
    gif_js[6..10].copy_from_slice(b"/*\0\0");
    cases.push(Case::new("GIF that is a script", [&gif_js[..], b"*/=1;alert(1)"].concat()));
    cases.push(Case::new("JPEG with a page in its comment", with_segment(&fotos[0].1, 0xFE, b"<html>")));
    cases.push(Case::new("PNG with a script in a text", with_chunk(&fotos[1].1, b"tEXt", b"a\0<script>")));
    cases
}

/// The beginning of one format with the rest of another.
fn disguises() -> Vec<Case> {
    let picture = quarters(48, 32);
    let fotos = [
        ("JPEG", 3, jpeg(&picture)),
        ("PNG", 8, at(ImageFormat::Png, picture.clone())),
        ("GIF", 6, at(ImageFormat::Gif, quarters_with_gap(48, 32))),
        ("WebP", 12, at(ImageFormat::WebP, picture)),
    ];
    let mut cases = Vec::new();
    for (head, n, of) in &fotos {
        for (body, m, rest) in &fotos {
            if head != body {
                let bytes = [&of[..*n], &rest[*m..]].concat();
                cases.push(Case::new(format!("{body} that begins like {head}"), bytes));
                let integer = [&of[..*n], &rest[..]].concat();
                cases.push(Case::new(format!("{body} behind the start of {head}"), integer));
            }
        }
        cases.push(Case::new(format!("{head} of zeros"), [&of[..*n], &[0; 5_000]].concat()));
        cases.push(Case::new(format!("{head} of ones"), [&of[..*n], &[0xFF; 5_000]].concat()));
    }
    cases
}
