"""A throwaway server and a receiver of signals for browser tests. Loopback only; everything is removed at the end."""

import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path

RAIZ = Path(__file__).resolve().parents[2]


class Receptor:
    """Keeps every signal it gets."""

    def __init__(self):
        self.recibidas = []
        self.llegada = threading.Condition()
        receptor = self

        class Manejador(http.server.BaseHTTPRequestHandler):
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

        self.servidor = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Manejador)
        self.url = f"http://127.0.0.1:{self.servidor.server_port}/gancho"
        threading.Thread(target=self.servidor.serve_forever, daemon=True).start()

    def esperar(self, cuantas):
        with self.llegada:
            assert self.llegada.wait_for(lambda: len(self.recibidas) >= cuantas, timeout=30), self.recibidas
            return list(self.recibidas)


class Casa:
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
        programa = os.environ.get("EMBUDO_BIN", str(RAIZ / "target/debug/embudo"))
        self.proceso = subprocess.Popen(
            [programa, "serve"], env=entorno, cwd=self.carpeta.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for linea in self.proceso.stdout:
            encontrada = re.search(r"http://127\.0\.0\.1:\d+", linea)
            if encontrada:
                self.url = encontrada.group()
                break
        else:
            raise RuntimeError("the server did not start")
        threading.Thread(target=lambda: [None for _ in self.proceso.stdout], daemon=True).start()

    def cerrar(self):
        self.proceso.terminate()
        self.proceso.wait(timeout=60)
        self.carpeta.cleanup()
