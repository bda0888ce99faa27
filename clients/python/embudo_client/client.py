"""Calls Embudo's API. What is under `openapi` is generated from its OpenAPI document; each method has the name of its
operation there."""

from typing import Any, TypeVar
from uuid import UUID

import httpx

from .openapi.api.bot import calificacion, conversacion, intento, mensajeria, perfil
from .openapi.api.ingesta import ingesta
from .openapi.api.leads import corregir_contacto, crear_lead, listar_eventos, listar_leads, ver_lead, ver_pendiente
from .openapi.api.presupuestos import listar_presupuestos
from .openapi.api.visitas import ver_visita
from .openapi.client import AuthenticatedClient
from .openapi.models import (
    Calificacion,
    Contacto,
    Ficha,
    Hecho,
    HechoConId,
    HuecosDeVisita,
    Ingesta,
    IngestaHecha,
    Intento,
    Mensajeria,
    MensajeriaHecha,
    NuevoLead,
    PaginaDeEventos,
    PaginaDeLeads,
    Pendencias,
    Perfil,
    PerfilHecho,
    PresupuestosDelLead,
    Turno,
)
from .openapi.types import UNSET, Response

T = TypeVar("T")


class EmbudoError(Exception):
    """The server refused a call. `problem` is what it said (RFC 9457); on 422 with every mistake of the body."""

    def __init__(self, status: int, problem: Any) -> None:
        super().__init__(f"{status} {getattr(problem, 'detail', '')}".strip())
        self.status = status
        self.problem = problem


class Embudo:
    def __init__(self, url: str, key: str, timeout_s: float = 60.0) -> None:
        """`url`: where the server is. `key`: FUNNEL_API_KEY, or a key of one company."""
        self.client = AuthenticatedClient(base_url=url.rstrip("/"), token=key, timeout=httpx.Timeout(timeout_s))

    # `key` of a call: the same key with the same body is done once. For what a webhook causes, take its webhook-id.

    def crear_lead(self, body: NuevoLead, key: str | None = None) -> HechoConId:
        return done(HechoConId, crear_lead.sync_detailed(client=self.client, body=body, idempotency_key=key or UNSET))

    def listar_leads(self, **filters: Any) -> PaginaDeLeads:
        return done(PaginaDeLeads, listar_leads.sync_detailed(client=self.client, **filters))

    def ver_pendiente(self, **query: Any) -> Pendencias:
        return done(Pendencias, ver_pendiente.sync_detailed(client=self.client, **query))

    def ver_lead(self, id: UUID) -> Ficha:
        return done(Ficha, ver_lead.sync_detailed(id, client=self.client))

    def listar_eventos(self, id: UUID, **query: Any) -> PaginaDeEventos:
        return done(PaginaDeEventos, listar_eventos.sync_detailed(id, client=self.client, **query))

    def listar_presupuestos(self, id: UUID) -> PresupuestosDelLead:
        return done(PresupuestosDelLead, listar_presupuestos.sync_detailed(id, client=self.client))

    def ver_visita(self, id: UUID) -> HuecosDeVisita:
        return done(HuecosDeVisita, ver_visita.sync_detailed(id, client=self.client))

    def corregir_contacto(self, id: UUID, body: Contacto) -> Hecho:
        return done(Hecho, corregir_contacto.sync_detailed(id, client=self.client, body=body))

    def ingesta(self, id: UUID, body: Ingesta, key: str | None = None) -> IngestaHecha:
        return done(IngestaHecha, ingesta.sync_detailed(id, client=self.client, body=body, idempotency_key=key or UNSET))

    def conversacion(self, id: UUID, body: Turno, key: str | None = None) -> HechoConId:
        return done(HechoConId, conversacion.sync_detailed(id, client=self.client, body=body, idempotency_key=key or UNSET))

    def perfil(self, id: UUID, body: Perfil, key: str | None = None) -> PerfilHecho:
        return done(PerfilHecho, perfil.sync_detailed(id, client=self.client, body=body, idempotency_key=key or UNSET))

    def calificacion(self, id: UUID, body: Calificacion, key: str | None = None) -> Hecho:
        return done(Hecho, calificacion.sync_detailed(id, client=self.client, body=body, idempotency_key=key or UNSET))

    def intento(self, id: UUID, body: Intento, key: str | None = None) -> HechoConId:
        return done(HechoConId, intento.sync_detailed(id, client=self.client, body=body, idempotency_key=key or UNSET))

    def mensajeria(self, id: UUID, key: str | None = None) -> MensajeriaHecha:
        body = Mensajeria()
        return done(MensajeriaHecha, mensajeria.sync_detailed(id, client=self.client, body=body, idempotency_key=key or UNSET))


def done(kind: type[T], response: Response[Any]) -> T:
    """What a call brought, or the server's refusal as an exception."""
    if isinstance(response.parsed, kind):
        return response.parsed
    raise EmbudoError(response.status_code, response.parsed)
