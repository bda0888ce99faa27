//! Files that are two things at once, or not what they begin like.

use embudo_fotos::Motivo;
use image::ImageFormat;

use crate::Caso;
use crate::muestras::{con_segmento, con_trozo, cuartos, cuartos_con_hueco, en, jpeg, webp_con_perdida};

pub fn casos() -> Vec<Caso> {
    [ajenas(), dobles(), disfraces()].into_iter().flatten().collect()
}

/// Not pictures that we read.
fn ajenas() -> Vec<Caso> {
    let ftyp = |marcas: &[u8]| {
        let largo = u32::try_from(marcas.len() + 8).expect("short").to_be_bytes();
        [&largo[..], b"ftyp", marcas, &[0; 64]].concat()
    };
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="http://127.0.0.1/"/></svg>"#;
    let entidades =
        br#"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>"#;
    let casos: Vec<(&str, Vec<u8>, Motivo)> = vec![
        ("nothing", vec![], Motivo::Vacia),
        ("SVG", svg.to_vec(), Motivo::Svg),
        ("SVG with entities", entidades.to_vec(), Motivo::Svg),
        ("HTML", b"<!doctype html><script>alert(1)</script>".to_vec(), Motivo::NoEsImagen),
        ("HEIC", ftyp(b"heic\0\0\0\0mif1heic"), Motivo::Heic),
        ("HEIC, neutral", ftyp(b"mif1\0\0\0\0mif1heicmiaf"), Motivo::Heic),
        ("AVIF", ftyp(b"avif\0\0\0\0avifmif1"), Motivo::Avif),
        ("AVIF, neutral", ftyp(b"mif1\0\0\0\0mif1avif"), Motivo::Avif),
        ("MP4", ftyp(b"isom\0\0\0\0isommp42"), Motivo::NoEsImagen),
        ("PDF", b"%PDF-1.7\n1 0 obj".to_vec(), Motivo::NoEsImagen),
        ("ZIP", b"PK\x03\x04\x14\0".to_vec(), Motivo::NoEsImagen),
        ("ELF", b"\x7FELF\x02\x01\x01".to_vec(), Motivo::NoEsImagen),
        ("TIFF", b"II*\0\x08\0\0\0".to_vec(), Motivo::OtroFormato("TIFF")),
        ("BMP", b"BM\xFF\xFF\xFF\xFF".to_vec(), Motivo::OtroFormato("BMP")),
        ("zeros", vec![0; 100_000], Motivo::NoEsImagen),
        ("ones", vec![0xFF; 100_000], Motivo::NoEsImagen),
        ("text", b"hola".repeat(1_000), Motivo::NoEsImagen),
    ];
    casos.into_iter().map(|(nombre, bytes, motivo)| Caso::da(nombre, bytes, motivo)).collect()
}

/// Pictures with something else inside, before or behind.
fn dobles() -> Vec<Caso> {
    let imagen = cuartos(48, 32);
    let fotos = [
        ("JPEG", jpeg(&imagen)),
        ("PNG", en(ImageFormat::Png, imagen.clone())),
        ("GIF", en(ImageFormat::Gif, cuartos_con_hueco(48, 32))),
        ("WebP", webp_con_perdida()),
    ];
    let cargas: [(&str, &[u8]); 5] = [
        ("script", b"<script>alert(1)</script>"),
        ("PHP", b"<?php system($_GET[0]); ?>"),
        ("ZIP", b"PK\x03\x04\x14\0\0\0PK\x05\x06\0\0\0\0"),
        ("PDF", b"%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>"),
        ("a second picture", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0"),
    ];
    let mut casos = Vec::new();
    for (foto, bytes) in &fotos {
        for (carga, datos) in cargas {
            casos.push(Caso::nuevo(format!("{foto} with {carga} behind"), [bytes, datos].concat()));
            // Only what begins as a picture is one; the payload that is itself the start of a JPEG is half of one.
            let antes = [datos, bytes].concat();
            casos.push(Caso::nuevo(format!("{foto} with {carga} before"), antes));
        }
    }
    let mut gif_js = fotos[2].1.clone();
    gif_js[6..10].copy_from_slice(b"/*\0\0");
    casos.push(Caso::nuevo("GIF that is a script", [&gif_js[..], b"*/=1;alert(1)"].concat()));
    casos.push(Caso::nuevo("JPEG with a page in its comment", con_segmento(&fotos[0].1, 0xFE, b"<html>")));
    casos.push(Caso::nuevo("PNG with a script in a text", con_trozo(&fotos[1].1, b"tEXt", b"a\0<script>")));
    casos
}

/// The beginning of one with the rest of another.
fn disfraces() -> Vec<Caso> {
    let imagen = cuartos(48, 32);
    let fotos = [
        ("JPEG", 3, jpeg(&imagen)),
        ("PNG", 8, en(ImageFormat::Png, imagen.clone())),
        ("GIF", 6, en(ImageFormat::Gif, cuartos_con_hueco(48, 32))),
        ("WebP", 12, en(ImageFormat::WebP, imagen)),
    ];
    let mut casos = Vec::new();
    for (cabeza, n, de) in &fotos {
        for (cuerpo, m, resto) in &fotos {
            if cabeza != cuerpo {
                let bytes = [&de[..*n], &resto[*m..]].concat();
                casos.push(Caso::nuevo(format!("{cuerpo} that begins like {cabeza}"), bytes));
                let entero = [&de[..*n], &resto[..]].concat();
                casos.push(Caso::nuevo(format!("{cuerpo} behind the start of {cabeza}"), entero));
            }
        }
        casos.push(Caso::nuevo(format!("{cabeza} of zeros"), [&de[..*n], &[0; 5_000]].concat()));
        casos.push(Caso::nuevo(format!("{cabeza} of ones"), [&de[..*n], &[0xFF; 5_000]].concat()));
    }
    casos
}
