"""Runs the walks of scripts/test-browser against one throwaway server."""

import argparse
import time
from pathlib import Path

import form
import quote
from server import Server, Receiver
from window import open_browser

PARTS = {"formulario": form.walk, "presupuesto": quote.walk}


def main():
    opciones = argparse.ArgumentParser()
    opciones.add_argument("--capturas", help="folder for a picture of every page")
    opciones.add_argument("partes", nargs="*", help="which parts to walk: formulario, presupuesto; both where none is named")
    leidas = opciones.parse_args()
    partes = leidas.partes or list(PARTS)
    if leidas.capturas:
        Path(leidas.capturas).mkdir(parents=True, exist_ok=True)
    receptor = Receiver()
    casa = Server(receptor)
    try:
        with open_browser() as navegador:
            for parte in partes:
                antes = time.monotonic()
                for hecho in PARTS[parte](navegador, casa, receptor, leidas.capturas):
                    print(f"ok {parte} {hecho} {time.monotonic() - antes:.1f} s", flush=True)
                    antes = time.monotonic()
    finally:
        casa.cerrar()


if __name__ == "__main__":
    main()
