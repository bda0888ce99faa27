"""A throwaway server and a receiver of signals for browser tests. Loopback only; everything is removed at the end."""

import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Receiver:
    """Keeps every signal it gets."""

    def __init__(self):
        self.recibidas = []
        self.llegada = threading.Condition()
        receptor = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                cuerpo = self.rfile.read(int(self.headers["content-length"]))
                with receptor.llegada:
                    receptor.recibidas.append(json.loads(cuerpo))
                    receptor.llegada.notify_all()
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.servidor = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.servidor.server_port}/gancho"
        threading.Thread(target=self.servidor.serve_forever, daemon=True).start()

    def esperar(self, cuantas):
        with self.llegada:
            assert self.llegada.wait_for(lambda: len(self.recibidas) >= cuantas, timeout=30), self.recibidas
            return list(self.recibidas)


class ForeignPage:
    """Another site, whose one page shows the form in a frame."""

    def __init__(self, marco):
        html = f'<!doctype html><title>Otra web</title><iframe src="{marco}" width="380" height="700" title="Formulario"></iframe>'

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(html.encode())

            def log_message(self, *_):
                pass

        self.servidor = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origen = f"http://127.0.0.1:{self.servidor.server_port}"
        threading.Thread(target=self.servidor.serve_forever, daemon=True).start()


class Client:
    """Calls a running server's API as the outside workflow does."""

    def __init__(self, url, clave):
        self.url, self.clave = url, clave

    def api(self, ruta, cuerpo=None):
        """POST with a body, else GET."""
        datos = None if cuerpo is None else json.dumps(cuerpo).encode()
        peticion = urllib.request.Request(self.url + ruta, datos, {"authorization": f"Bearer {self.clave}"})
        with urllib.request.urlopen(peticion, timeout=60) as respuesta:
            return json.load(respuesta)

    def presupuestar(self, persona, items):
        """A lead with its photos and notes, and a quote of them: its id and the address of the quote's page."""
        lead = self.api("/api/leads", persona)["id"]
        return lead, self.finalizar(lead, items)

    def finalizar(self, lead, items):
        """One more quote of a lead: the address of its page."""
        hecho = self.api(f"/api/leads/{lead}/ingesta", {"items": items, "finalizar": True})
        assert hecho["finalizado"]["ok"], hecho
        presupuestos = self.api(f"/api/leads/{lead}")["presupuestos"]
        pagina = max(presupuestos, key=lambda p: p["numero"])["pagina"]
        return self.url + urllib.parse.urlsplit(pagina).path


class Server(Client):
    """`embudo serve` in a folder of its own, on a free port."""

    def __init__(self, receptor):
        self.carpeta = tempfile.TemporaryDirectory(prefix="embudo-navegador-")
        entorno = {
            "PATH": os.environ["PATH"],
            "BIND": "127.0.0.1:0",
            "DATA_DIR": f"{self.carpeta.name}/data",
            "MESSAGING_START_WEBHOOK_URL": receptor.url,
            "FORM_LEADS_PER_HOUR": "1000",
            "FORM_PHOTOS_PER_HOUR": "1000",
            "LOG_FORMAT": "json",
        }
        self.programa = os.environ.get("EMBUDO_BIN", str(ROOT / "target/debug/embudo"))
        self.entorno = entorno
        self.proceso = subprocess.Popen(
            [self.programa, "serve"], env=entorno, cwd=self.carpeta.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for linea in self.proceso.stdout:
            encontrada = re.search(r"http://127\.0\.0\.1:\d+", linea)
            if encontrada:
                break
        else:
            raise RuntimeError("the server did not start")
        threading.Thread(target=lambda: [None for _ in self.proceso.stdout], daemon=True).start()
        super().__init__(encontrada.group(), Path(entorno["DATA_DIR"], "api-key").read_text().strip())

    def mandar(self, *orden):
        """Runs a command of `embudo` beside the running server."""
        subprocess.run([self.programa, *orden], env=self.entorno, cwd=self.carpeta.name, check=True, stdout=subprocess.DEVNULL)

    def marca(self, *opciones):
        """Changes what clients see of the default company."""
        self.mandar("empresa", "marca", "mi-empresa", *opciones)

    def cerrar(self):
        self.proceso.terminate()
        self.proceso.wait(timeout=60)
        self.carpeta.cleanup()
