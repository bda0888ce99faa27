"""Runs the walks of scripts/test-browser, each in a process of its own with a throwaway server and a browser; three at a time."""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import avisos
import day
import demo
import editor
import empresa
import envios
import evening
import form
import inbox
import lead
import obra
import panel
import privacy
import push
import quote
import set_up
import summary
import tarifa
import visits
from server import Receiver, Server
from window import SHELL, WHOLE, Window, open_browser

PARTS = {
    "formulario": form.walk,
    "presupuesto": quote.walk,
    "panel": panel.walk,
    "envios": envios.walk,
    "lead": lead.walk,
    "avisos": avisos.walk,
    "empresa": empresa.walk,
    "editor": editor.walk,
    "tarifa": tarifa.walk,
    "visitas": visits.walk,
    "obra": obra.walk,
    "resumen": summary.walk,
    "privacidad": privacy.walk,
    "bandeja": inbox.walk,
    "dia": day.walk,
    "tarde": evening.walk,
    "movil-avisos": push.walk,
    "alta": set_up.walk,
    "demo": demo.walk,
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--screenshots", help="folder for a picture of every page")
    options.add_argument("parts", nargs="*", help=f"which parts to walk: {', '.join(PARTS)}; all where none is named")
    given = options.parse_args()
    parts = given.parts or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        options.error(f"there is no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    if given.screenshots:
        Path(given.screenshots).mkdir(parents=True, exist_ok=True)
    if len(parts) == 1:
        walk(parts[0], given.screenshots)
        return
    with ThreadPoolExecutor(3) as pool:
        failed = [part for part in pool.map(lambda part: apart(part, given.screenshots), parts) if part]
    # A browser on a busy machine may stumble. What fails twice, the second time alone, is a fault; what fails once is told.
    again = [part for part in failed if apart(part, given.screenshots)]
    if again:
        sys.exit(f"these walks failed twice: {', '.join(again)}")
    if failed:
        print(f"UNSTEADY, passed on the second try: {', '.join(failed)}", flush=True)


def apart(part, screenshots):
    """The part's name where it failed."""
    folder = ["--screenshots", screenshots] if screenshots else []
    return None if subprocess.run([sys.executable, __file__, *folder, part]).returncode == 0 else part


def walk(part, screenshots):
    receiver = Receiver()
    home = Server(receiver)
    try:
        with open_browser(WHOLE if part == "movil-avisos" else SHELL) as browser:
            before = time.monotonic()
            for done in PARTS[part](browser, home, receiver, screenshots):
                print(f"ok {part} {done} {time.monotonic() - before:.1f} s", flush=True)
                before = time.monotonic()
    except Exception:
        for window in Window.opened:
            print(f"{part} {window.name} was at {window.page.url}; errors: {window.errors}", flush=True)
        raise
    finally:
        home.close()


if __name__ == "__main__":
    main()
