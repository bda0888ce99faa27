"""Runs the walks of scripts/test-browser against one throwaway server."""

import argparse
import time
from pathlib import Path

import envios
import form
import lead
import panel
import quote
from server import Server, Receiver
from window import open_browser

PARTS = {"formulario": form.walk, "presupuesto": quote.walk, "panel": panel.walk, "envios": envios.walk, "lead": lead.walk}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--screenshots", help="folder for a picture of every page")
    options.add_argument("parts", nargs="*", help="which parts to walk: formulario, presupuesto, panel, envios, lead; all where none is named")
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
