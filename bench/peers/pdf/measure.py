"""Draws the same quote with Embudo, WeasyPrint and Chromium in turns, compares, and writes the report. Run by bench/pdf."""

import argparse
import json
import os
import re
import subprocess
import threading
import time
from pathlib import Path

from report import escribir
from engines import Chromium, nuestro, weasyprint
from quote import html

CASOS = {"sin": "without photos", "800": "12 photos of 800 px", "1600": "12 photos of 1600 px"}
CALIENTE = 4


def letras(carpeta):
    """The peers find the same typefaces as we have, as installed ones: loading web fonts would cost them more."""
    ruta = carpeta / "fonts.conf"
    dirs = f"<dir>{carpeta / 'letras'}</dir><dir>/usr/share/fonts</dir><cachedir>{carpeta / 'fontcache'}</cachedir>"
    ruta.write_text(f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>{dirs}</fontconfig>')
    os.environ["FONTCONFIG_FILE"] = str(ruta)


def turnos(motores, casos, rondas):
    """The order changes from round to round; all that is measured of one round stays together."""
    medidas = {(m.nombre, c): [] for m in motores for c in casos}
    for caso in casos:
        for m in motores:
            for _ in range(CALIENTE):
                m.dibujar(caso)
    for ronda in range(rondas):
        for caso in casos:
            orden = motores[ronda % len(motores) :] + motores[: ronda % len(motores)]
            for m in orden:
                antes = m.procesador()
                uno = m.dibujar(caso)
                uno["cpu_ms"] = m.procesador() - antes
                medidas[m.nombre, caso].append(uno)
    return medidas


def memoria(motor, veces):
    """20 PDFs with photos of 800 px in a process that has drawn nothing: what it holds then, and the most it held."""
    vacio = motor.vacio
    fin = threading.Event()

    def mirar():
        while not fin.wait(0.01):
            motor.mirar()

    hilo = threading.Thread(target=mirar) if hasattr(motor, "mirar") else None
    if hilo:
        hilo.start()
    for _ in range(veces):
        motor.dibujar("800")
    fin.set()
    if hilo:
        hilo.join()
    medida = {"idle": vacio / 1024, "after": motor.memoria() / 1024, "peak": motor.pico() / 1024}
    motor.cerrar()
    return medida


def salida(*orden):
    return subprocess.run(orden, capture_output=True, text=True, check=True).stdout


def contenido(pdf):
    """What can be compared of a PDF: pages, tags, pictures and its text."""
    ficha = salida("pdfinfo", str(pdf))
    campo = lambda nombre: re.search(rf"^{nombre}:\s*(.*)$", ficha, re.M).group(1)  # noqa: E731
    fotos = sum(" jpeg " in linea for linea in salida("pdfimages", "-list", str(pdf)).splitlines())
    texto = salida("pdftotext", str(pdf), "-").lower()
    return {"pages": int(campo("Pages")), "tagged": campo("Tagged"), "photos": fotos, "bytes": pdf.stat().st_size}, texto


def comparar(carpeta, casos):
    """Fails when a peer lacks a word or a picture of ours, or says more. (Chromium tears words where it kerns, so spaces go.)"""
    fichas = {}
    for caso in casos:
        nuestra, texto = contenido(carpeta / f"embudo-{caso}.pdf")
        fichas["embudo", caso] = nuestra
        palabras, letras_ = set(re.findall(r"[\w.,%€/²@-]+", texto)), len("".join(texto.split()))
        for quien in ("weasyprint", "chromium"):
            ficha, suyo = contenido(carpeta / f"{quien}-{caso}.pdf")
            fichas[quien, caso] = ficha
            suyo = "".join(suyo.split())
            faltan = sorted(p for p in palabras if p not in suyo)
            assert not faltan and abs(len(suyo) / letras_ - 1) < 0.05, (quien, caso, faltan, len(suyo), letras_)
            assert ficha["tagged"] == "yes" and ficha["photos"] == nuestra["photos"], (quien, caso, ficha, nuestra)
    return fichas


def main():
    opciones = argparse.ArgumentParser()
    opciones.add_argument("--programa", required=True)
    opciones.add_argument("--carpeta", required=True, type=Path)
    opciones.add_argument("--out", required=True, type=Path)
    opciones.add_argument("--rounds", type=int, default=20)
    o = opciones.parse_args()
    carpeta = o.carpeta.resolve()
    carga = os.getloadavg()
    letras(carpeta)
    for caso in CASOS:
        (carpeta / caso / "presupuesto.html").write_text(html(carpeta / caso))
    print("== memory", flush=True)
    hacer = [lambda: nuestro(o.programa, carpeta), lambda: weasyprint(carpeta), lambda: Chromium(carpeta)]
    memorias = {}
    for h in hacer:
        motor = h()
        memorias[motor.nombre] = memoria(motor, 20)
    print("== time", flush=True)
    motores = [h() for h in hacer]
    medidas = turnos(motores, list(CASOS), o.rounds)
    versiones = {m.nombre: m.saludo for m in motores}
    for m in motores:
        m.cerrar()
    print("== the worst", flush=True)
    malo = nuestro(o.programa, carpeta)
    peores = {c: [malo.dibujar(c) for _ in range(5)] for c in ("hostil", "integral", "peor")}
    peores["peak"] = malo.pico() / 1024
    malo.cerrar()
    print("== processes as the server's", flush=True)
    procesos = [json.loads(linea) for linea in salida(o.programa, str(carpeta), "--procesos").splitlines()]
    fichas = comparar(carpeta, CASOS)
    escribir(o.out, CASOS, medidas, memorias, peores, procesos, fichas, versiones, carga, o.rounds)
    print(o.out.read_text())


if __name__ == "__main__":
    main()
