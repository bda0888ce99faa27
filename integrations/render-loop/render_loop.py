"""The render loop: receives the profile signal, makes a picture of each photo «antes», and sends them back with `finalizar`.

    EMBUDO_URL=https://leads.ejemplo.es FUNNEL_API_KEY=… WEBHOOK_SECRET=whsec_… PORT=9000 python render_loop.py

It answers when the work is done, so that Embudo tries again what failed. A second attempt of a signal whose work is under way
waits for it; then it calls with the same key, and Embudo does nothing twice.
"""

import os
import threading
import traceback
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from embudo_client import Embudo, Webhook, WebhookError
from embudo_client.models import Ingesta, ItemFoto, SenalPerfil

MAX_BODY = 64 * 1024 * 1024
embudo = Embudo(os.environ["EMBUDO_URL"], os.environ["FUNNEL_API_KEY"])
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def render(photo: str) -> str:
    """Put your generator here: gets a photo (a URL or a data URI), gives the render."""
    return photo


def work(id: str, perfil: SenalPerfil) -> None:
    items = [
        ItemFoto(tipo="foto", imagen=render(photo), zona=zona.zona, momento="despues")
        for zona in perfil.zonas
        for photo in zona.fotos.antes
    ]
    done = embudo.ingesta(perfil.lead_id, Ingesta(items=[*items], finalizar=True), key=id)
    made = done.finalizado is not None and done.finalizado.ok
    print(f"{perfil.lead_id}: {len(items)} renders, quote {'made' if made else 'under way'}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 60

    def do_POST(self) -> None:
        self.send_response(self.received())
        self.send_header("content-length", "0")
        self.end_headers()

    def received(self) -> int:
        length = int(self.headers.get("content-length", "0"))
        if length > MAX_BODY:
            return 413
        try:
            signal = webhook.verify(self.rfile.read(length), dict(self.headers))
            if signal.body.get("muestra"):
                return 200
            with turns[signal.id]:
                work(signal.id, SenalPerfil.from_dict(signal.body))
            turns.pop(signal.id, None)
            return 200
        except WebhookError:
            return 401
        except Exception:
            traceback.print_exc()
            return 500


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print("port", server.server_port, flush=True)
server.serve_forever()
