"""A throwaway server and a receiver of signals for browser tests. Loopback only; everything is removed at the end."""

import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Receiver:
    """Keeps every signal it gets."""

    def __init__(self):
        self.received = []
        self.arrival = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.arrival:
                    receiver.received.append(json.loads(body))
                    receiver.arrival.notify_all()
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/gancho"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, how_many):
        with self.arrival:
            assert self.arrival.wait_for(lambda: len(self.received) >= how_many, timeout=30), self.received
            return list(self.received)


class ForeignPage:
    """Another site, whose one page shows the form in a frame."""

    def __init__(self, frame):
        html = f'<!doctype html><title>Otra web</title><iframe src="{frame}" width="380" height="700" title="Formulario"></iframe>'

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(html.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Client:
    """Calls a running server's API as the outside workflow does."""

    def __init__(self, url, key):
        self.url, self.key = url, key

    def api(self, path, body=None, headers={}):
        """POST with a body, else GET."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"authorization": f"Bearer {self.key}", **headers})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def quote(self, person, items):
        """A lead with its photos and notes, and a quote of them: its id and the address of the quote's page."""
        lead = self.api("/api/leads", person)["id"]
        return lead, self.finalizar(lead, items)

    def finalizar(self, lead, items):
        """One more quote of a lead: the address of its page."""
        quotes = lambda: self.api(f"/api/leads/{lead}")["presupuestos"]
        before = len(quotes())
        done = self.api(f"/api/leads/{lead}/ingesta", {"items": items, "finalizar": True})
        presupuestos = quotes()
        # A busy machine answers before the quote is drawn and sent.
        end = time.monotonic() + 120
        while not done["finalizado"]["ok"] and (len(presupuestos) == before or any(p["estado"] == "borrador" for p in presupuestos)):
            assert time.monotonic() < end, done
            time.sleep(0.5)
            presupuestos = quotes()
        page = max(presupuestos, key=lambda p: p["numero"])["pagina"]
        return self.url + urllib.parse.urlsplit(page).path


class Server(Client):
    """`embudo serve` in a folder of its own, on a free port."""

    def __init__(self, receiver, **settings):
        self.folder = tempfile.TemporaryDirectory(prefix="embudo-navegador-")
        environment = {
            "PATH": os.environ["PATH"],
            "BIND": "127.0.0.1:0",
            "TRUSTED_PROXIES": "127.0.0.1",
            "DATA_DIR": f"{self.folder.name}/data",
            "MESSAGING_START_WEBHOOK_URL": receiver.url,
            "MESSAGING_REPLY_WEBHOOK_URL": receiver.url,
            "FORM_LEADS_PER_HOUR": "1000",
            "FORM_PHOTOS_PER_HOUR": "1000",
            "PANEL_TRIES_PER_ACCOUNT": "1000",
            "PANEL_TRIES_PER_ADDRESS": "1000",
            "LOG_FORMAT": "json",
            **settings,
        }
        self.program = os.environ.get("EMBUDO_BIN", str(ROOT / "target/debug/embudo"))
        self.environment = environment
        self.process = subprocess.Popen(
            [self.program, "serve"], env=environment, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found:
                break
        else:
            raise RuntimeError("the server did not start")
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()
        super().__init__(found.group(), Path(environment["DATA_DIR"], "api-key").read_text().strip())

    def send(self, *order):
        """Runs a command of `embudo` beside the running server."""
        subprocess.run([self.program, *order], env=self.environment, cwd=self.folder.name, check=True, stdout=subprocess.DEVNULL)

    def brand(self, *options):
        """Changes what clients see of the default company."""
        self.send("empresa", "marca", "mi-empresa", *options)

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.folder.cleanup()
