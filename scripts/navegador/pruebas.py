"""Runs the walks of scripts/navegador-de-pruebas against one throwaway server."""

import argparse
import time
from pathlib import Path

import formulario
import presupuesto
from casa import Casa, Receptor
from ventana import abrir_navegador

PARTES = {"formulario": formulario.pasear, "presupuesto": presupuesto.pasear}


def main():
    opciones = argparse.ArgumentParser()
    opciones.add_argument("--capturas", help="folder for a picture of every page")
    opciones.add_argument("partes", nargs="*", help="which parts to walk: formulario, presupuesto; both where none is named")
    leidas = opciones.parse_args()
    partes = leidas.partes or list(PARTES)
    if leidas.capturas:
        Path(leidas.capturas).mkdir(parents=True, exist_ok=True)
    receptor = Receptor()
    casa = Casa(receptor)
    try:
        with abrir_navegador() as navegador:
            for parte in partes:
                antes = time.monotonic()
                for hecho in PARTES[parte](navegador, casa, receptor, leidas.capturas):
                    print(f"ok {parte} {hecho} {time.monotonic() - antes:.1f} s", flush=True)
                    antes = time.monotonic()
    finally:
        casa.cerrar()


if __name__ == "__main__":
    main()
