"""Runs the walks of scripts/test-browser against one throwaway server."""

import argparse
import time
from pathlib import Path

import avisos
import editor
import empresa
import envios
import form
import inbox
import lead
import panel
import quote
import summary
import tarifa
import visits
from server import Server, Receiver
from window import open_browser

PARTS = {"formulario": form.walk, "presupuesto": quote.walk, "panel": panel.walk, "envios": envios.walk, "lead": lead.walk, "bandeja": inbox.walk, "avisos": avisos.walk, "empresa": empresa.walk, "editor": editor.walk, "tarifa": tarifa.walk, "visitas": visits.walk, "resumen": summary.walk}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--screenshots", help="folder for a picture of every page")
    options.add_argument("parts", nargs="*", help="which parts to walk: formulario, presupuesto, panel, envios, lead, bandeja, avisos, empresa, editor, tarifa, visitas, resumen; all where none is named")
    given = options.parse_args()
    parts = given.parts or list(PARTS)
    if given.screenshots:
        Path(given.screenshots).mkdir(parents=True, exist_ok=True)
    receiver = Receiver()
    home = Server(receiver)
    try:
        with open_browser() as browser:
            for part in parts:
                before = time.monotonic()
                for done in PARTS[part](browser, home, receiver, given.screenshots):
                    print(f"ok {part} {done} {time.monotonic() - before:.1f} s", flush=True)
                    before = time.monotonic()
    finally:
        home.close()


if __name__ == "__main__":
    main()
