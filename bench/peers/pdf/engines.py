"""The three that draw, each warm in a process of its own: ours (`muestras --servir`), WeasyPrint (`engine_weasyprint.py`) and Chromium.

Each draws a quote by its name and says how long it took by its own clock; what it holds and what it burnt is read from /proc by us.
Every process is ended by the handle with which it was started."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

CHROMIUM = "/usr/bin/chromium"
OPCIONES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
]
TIC = os.sysconf("SC_CLK_TCK")


def estado(pid, campo):
    """A field of /proc/PID/status in KB; 0 when the process is gone."""
    try:
        for linea in Path(f"/proc/{pid}/status").read_text().splitlines():
            if linea.startswith(campo + ":"):
                return int(linea.split()[1])
    except OSError:
        pass
    return 0


def pss(pid):
    """What a process holds in KB, with shared pages divided among those that share them."""
    try:
        for linea in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if linea.startswith("Pss:"):
                return int(linea.split()[1])
    except OSError:
        pass
    return 0


def procesador(pid):
    """Milliseconds of processor that a process and those of its children that have ended used: Chromium starts one for each print."""
    try:
        campos = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, campos[11:15])) * 1000 / TIC
    except OSError:
        return 0


def descendientes(pid):
    """The ids of all processes below one."""
    hijos = {}
    for entrada in os.listdir("/proc"):
        if entrada.isdigit():
            try:
                padre = int(Path(f"/proc/{entrada}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            hijos.setdefault(padre, []).append(int(entrada))
    todos, pendientes = [], [pid]
    while pendientes:
        nuevos = hijos.get(pendientes.pop(), [])
        todos += nuevos
        pendientes += nuevos
    return todos


def igualar(pid):
    """Linux schedules by session, and a browser is started in one of its own: let it weigh as much as ours does."""
    try:
        nuestra = Path("/proc/self/autogroup").read_text().split("nice")[1].strip()
        Path(f"/proc/{pid}/autogroup").write_text(nuestra)
    except (OSError, IndexError):
        pass


class Linea:
    """A process that draws what a line names and answers with a line of JSON."""

    def __init__(self, nombre, orden, entorno):
        self.nombre = nombre
        self.proceso = subprocess.Popen(orden, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=entorno)
        self.saludo = json.loads(self.proceso.stdout.readline())
        # Before typefaces or modules for drawing are loaded, where the process says so.
        self.vacio = self.saludo.get("empty_kb") or self.memoria()

    def dibujar(self, caso):
        self.proceso.stdin.write(caso + "\n")
        self.proceso.stdin.flush()
        return json.loads(self.proceso.stdout.readline())

    def memoria(self):
        return estado(self.proceso.pid, "VmRSS")

    def pico(self):
        return estado(self.proceso.pid, "VmHWM")

    def procesador(self):
        return procesador(self.proceso.pid)

    def cerrar(self):
        self.proceso.stdin.close()
        self.proceso.wait(30)


class Chromium:
    """A browser with one page, driven by playwright. Its driver counts neither for memory nor for processor."""

    nombre = "Chromium"

    def __init__(self, carpeta):
        from playwright.sync_api import sync_playwright

        self.carpeta = carpeta
        self.director = sync_playwright().start()
        self.navegador = self.director.chromium.launch(executable_path=CHROMIUM, args=OPCIONES)
        self.pagina = self.navegador.new_page()
        self.pagina.goto("about:blank")
        self.saludo = {"version": self.navegador.version}
        self.suyos = []
        for pid in descendientes(os.getpid()):
            igualar(pid)
        self.pico_kb = 0
        self.vacio = self.memoria()

    def dibujar(self, caso):
        url = (self.carpeta / caso / "presupuesto.html").as_uri()
        inicio = time.perf_counter()
        self.pagina.goto(url, wait_until="load")
        cargado = time.perf_counter()
        pdf = self.pagina.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
        fin = time.perf_counter()
        guardar(self.carpeta / f"chromium-{caso}.pdf", pdf)
        return {"ms": (fin - inicio) * 1000, "print_ms": (fin - cargado) * 1000, "bytes": len(pdf)}

    def procesos(self):
        def es(pid):
            try:
                return "chrom" in Path(f"/proc/{pid}/comm").read_text()
            except OSError:
                return False

        self.suyos = [p for p in descendientes(os.getpid()) if es(p)]
        return self.suyos

    def memoria(self):
        total = sum(map(pss, self.procesos()))
        self.pico_kb = max(self.pico_kb, total)
        return total

    def mirar(self):
        """For the peak: called again and again by another thread while it draws."""
        self.pico_kb = max(self.pico_kb, sum(map(pss, self.suyos)))

    def pico(self):
        return self.pico_kb

    def procesador(self):
        return sum(map(procesador, self.procesos()))

    def cerrar(self):
        self.navegador.close()
        self.director.stop()


def guardar(ruta, pdf):
    """Each PDF once, to compare and to look at."""
    if not ruta.exists():
        ruta.write_bytes(pdf)


def nuestro(programa, carpeta):
    return Linea("Embudo", [programa, str(carpeta), "--servir"], os.environ)


def weasyprint(carpeta):
    return Linea("WeasyPrint", [sys.executable, str(Path(__file__).with_name("engine_weasyprint.py")), str(carpeta)], os.environ)
