"""A whole lead through the client, and every webhook that comes of it through the verifier. Run by `run.py`: prints its port,
waits for a line, prints the lead."""

import base64
import os
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

from embudo_client import Embudo, EmbudoError, Webhook, WebhookError
from embudo_client.models import Calificacion, Ingesta, Intento, ItemFoto, ItemTexto, NuevoLead, Perfil, SenalEvento, SenalPdf, Turno

SECRET, OTHER = os.environ["WEBHOOK_SECRET"], "whsec_" + "A" * 32
webhook = Webhook(SECRET)
calls: list[tuple[str, bytes, dict[str, str]]] = []
news = threading.Condition()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()
        with news:
            calls.append((self.path, raw, dict(self.headers)))
            news.notify_all()

    def log_message(self, *_: Any) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("port", server.server_port, flush=True)
input()


def told(path: str, fits: Callable[[Any], bool]) -> Any:
    """The verified body of the call that fits, once it came."""
    found: list[Any] = []

    def came() -> bool:
        found[:] = [body for at, raw, headers in calls if at == path and fits(body := webhook.verify(raw, headers).body)]
        return bool(found)

    with news:
        assert news.wait_for(came, timeout=180), f"nothing came to {path}"
    return found[0]


def refused(secrets: str, raw: bytes, headers: dict[str, str], now: float | None = None) -> None:
    try:
        Webhook(secrets).verify(raw, headers, now)
    except WebhookError:
        return
    raise AssertionError("the verifier accepts anything")


def status(call: Callable[[], Any]) -> int:
    try:
        call()
    except EmbudoError as error:
        return error.status
    raise AssertionError("the server accepts anything")


embudo = Embudo(os.environ["EMBUDO_URL"] + "/", os.environ["FUNNEL_API_KEY"])
person = NuevoLead(nombre="Ana García", telefono="612 34 56 78", email="ana@ejemplo.es", provincia="Madrid")
lead = embudo.crear_lead(person, key="walk-py").id
assert embudo.crear_lead(person, key="walk-py").id == lead, "once"
assert embudo.perfil(lead, Perfil(tipo_reforma="bano", m_2_suelo=5.5)).actualizado == ["tipoReforma", "m2Suelo"]
embudo.conversacion(lead, Turno(rol="user", mensaje="Hola"))
embudo.calificacion(lead, Calificacion(score=82, nivel="A"))
embudo.intento(lead, Intento(canal="messaging", numero_intento=1))
items: list[ItemFoto | ItemTexto] = [ItemFoto(tipo="foto", imagen=os.environ["PHOTO"]), ItemTexto(tipo="texto", texto="Quiero ducha")]
done = embudo.ingesta(lead, Ingesta(items=items, perfil_completo=True))
assert (done.fotos, done.notas) == (1, 1)

# The loop sends a render and asks for the quote; its PDF comes here.
own: Callable[[Any], bool] = lambda body: body["leadId"] == str(lead)
pdf = SenalPdf.from_dict(told("/pdf", own))
assert base64.b64decode(pdf.pdf_base_64).startswith(b"%PDF-")
told("/eventos", lambda body: own(body) and body["tipo"] == "lead.creado")
sent = SenalEvento.from_dict(told("/eventos", lambda body: own(body) and body["tipo"] == "presupuesto.enviado"))
embudo.mensajeria(lead)
assert told("/inicio", own)["telefono"] == "+34612345678"

ficha = embudo.ver_lead(lead)
assert sorted(foto.momento for foto in ficha.fotos) == ["antes", "despues"]
assert ficha.calificacion is not None and (ficha.tipo_reforma, ficha.calificacion.score, len(ficha.intentos)) == ("bano", 82, 1)
quote = ficha.presupuestos[0]
assert pdf.filename == f"presupuesto-{quote.numero}.pdf"
assert (sent.datos.numero, sent.datos.total_cents) == (quote.numero, quote.total_cents)
assert any(found.id == lead for found in embudo.listar_leads(telefono="612345678").leads)
detail = embudo.listar_presupuestos(lead).presupuestos[0]
assert (detail.numero, detail.total_cents) == (quote.numero, quote.total_cents)
visit = embudo.ver_visita(lead)
assert visit.visita is None and len(visit.huecos) == len(visit.hora_local)
assert embudo.listar_eventos(lead, limite=1).siguiente is not None
assert len(embudo.ver_pendiente(limite=1).pendientes) <= 1
assert status(lambda: embudo.perfil(lead, Perfil(m_2_suelo=-1))) == 422
assert status(lambda: embudo.ver_lead(UUID(int=0))) == 404
assert status(lambda: Embudo(os.environ["EMBUDO_URL"], "otra").ver_lead(lead)) == 401

# Every call was real; nothing else passes.
for _, raw, headers in calls:
    shouted = {name.upper(): value for name, value in headers.items()}
    lower = {name.lower(): value for name, value in headers.items()}
    assert Webhook(f"{OTHER} {SECRET}").verify(raw, shouted).id == lower["webhook-id"]
    refused(OTHER, raw, headers)
    refused(SECRET, raw + b" ", headers)
    refused(SECRET, raw, lower | {"webhook-id": "otro"})
    refused(SECRET, raw, {name: value for name, value in lower.items() if name != "webhook-signature"})
    refused(SECRET, raw, lower | {"webhook-signature": "v1, v2,AAAA v1,AAAA ñ"})
    refused(SECRET, raw, headers, time.time() + 301 + 10)
    refused(SECRET, raw, headers, time.time() - 301 - 200)
for bad in (" ", "whsec_AAAA", "whsec_ñ"):
    try:
        Webhook(bad)
    except WebhookError:
        continue
    raise AssertionError(bad)
print("lead", lead, len(calls), flush=True)
