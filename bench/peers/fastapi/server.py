"""A fair peer: what a good Python team would put in production for POST /api/leads/{id}/conversacion. One uvicorn worker
per core on uvloop and httptools, keep-alive, the Bearer key compared in constant time before the body is read, pydantic
at the door, one prepared statement per call, orjson, no logging.
Settings: BIND (host:port), DATABASE_URL, FUNNEL_API_KEY, WORKERS (one per core), POOL (connections per worker)."""

import asyncio
import os
import random
from contextlib import asynccontextmanager
from hmac import compare_digest
from uuid import UUID

import orjson
import uvicorn
from fastapi import FastAPI, Request, Response
from pydantic import ValidationError

import db
from bodies import Lead, Turno

URL = os.environ["DATABASE_URL"]
KEY = f"Bearer {os.environ['FUNNEL_API_KEY']}".encode()
POOL = int(os.environ.get("POOL", 10))


@asynccontextmanager
async def lifespan(app):
    async with db.open_pool(URL, POOL) as pool:
        app.state.pool = pool
        yield


def answer(status, body):
    return Response(orjson.dumps(body), status, media_type="application/json")


def problem(status, title, errores=None):
    body = {"type": "about:blank", "title": title, "status": status, "errores": errores or []}
    return Response(orjson.dumps(body), status, media_type="application/problem+json")


class Authorized:
    """The key is looked at before the body is read, as in Embudo."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not compare_digest(sent, KEY):
                await problem(401, "Clave no válida")(scope, receive, send)
                return
        await self.app(scope, receive, send)


app = FastAPI(lifespan=lifespan, openapi_url=None)
app.add_middleware(Authorized)


@app.exception_handler(ValidationError)
async def invalid(_request, error):
    return problem(422, "Datos no válidos", error.errors(include_url=False, include_context=False, include_input=False))


def new_id():
    """As random as a random UUID has to be here, without a system call."""
    return UUID(int=random.getrandbits(128), version=4)


@app.get("/readyz")
async def readyz(request: Request):
    await request.app.state.pool.execute("SELECT 1")
    return answer(200, {"ok": True})


# pydantic reads the bytes itself, which is faster than a body that FastAPI has parsed before.
@app.post("/api/leads")
async def create_lead(request: Request):
    lead = Lead.model_validate_json(await request.body())
    id = new_id()
    await db.create_lead(request.app.state.pool, id, lead)
    return answer(201, {"ok": True, "id": id})


@app.post("/api/leads/{lead_id}/conversacion")
async def append_turno(lead_id: str, request: Request):
    turno = Turno.model_validate_json(await request.body())
    try:
        lead = UUID(lead_id)
    except ValueError:
        return problem(404, "No existe ese lead")
    id = new_id()
    if not await db.append_turno(request.app.state.pool, id, lead, turno):
        return problem(404, "No existe ese lead")
    return answer(200, {"ok": True, "id": id})


if __name__ == "__main__":
    host, port = os.environ.get("BIND", "127.0.0.1:8091").rsplit(":", 1)
    asyncio.run(db.migrate(URL))
    uvicorn.run(
        "server:app",
        host=host,
        port=int(port),
        workers=int(os.environ.get("WORKERS", os.cpu_count())),
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=75,
    )
