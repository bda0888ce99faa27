"""Leads a bot's conversation through the tools of a throwaway server with the reference client of MCP (PyPI: mcp): over HTTP
and on stdio, with the handshake of older clients and without one. Strangers are refused.

    mcp_walk.py EMBUDO [TRANSCRIPT]
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import httpx2
import jsonschema
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

KEY = "una clave de prueba"
TELEFONO = "+34 612 345 678"
embudo = sys.argv[1]
transcript = open(sys.argv[2], "w") if len(sys.argv) > 2 else None
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def served(environment, folder):
    """A server on a free port: the program, and its address."""
    command, log = [embudo, "serve"], open(f"{folder}/log", "w")
    settings = environment | {"LOG_FORMAT": "json"}
    server = subprocess.Popen(command, env=settings, cwd=folder, stdout=subprocess.DEVNULL, stderr=log)
    end = time.monotonic() + 120
    while True:
        for line in Path(folder, "log").read_text().splitlines():
            if '"listening"' in line:
                return server, json.loads(line)["url"]
        assert server.poll() is None and time.monotonic() < end, Path(folder, "log").read_text()
        time.sleep(0.1)


def posted(url, path, body):
    headers = {"authorization": f"Bearer {KEY}"}
    return json.load(opener.open(urllib.request.Request(url + path, json.dumps(body).encode(), headers), timeout=30))


def http(url, headers):
    """The transport over HTTP, with these headers."""
    client = httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60)
    return streamable_http_client(f"{url}/mcp", http_client=client)


async def talk(server, mode):
    """A conversation from the first message to the quote: what the tools said of the lead."""
    async with Client(server, mode=mode) as client:

        async def call(name, **arguments):
            jsonschema.validate(arguments, schemas[name])
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            if transcript:
                transcript.write(f"> {name} {json.dumps(arguments, ensure_ascii=False)}\n< {text[:400]}\n")
            assert not result.is_error, f"{name}: {text}"
            return json.loads(text)

        tools = (await client.list_tools()).tools
        schemas = {tool.name: tool.input_schema for tool in tools}
        for schema in schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)
        assert all(tool.description and tool.annotations for tool in tools)
        found = await call("listarLeads", telefono=TELEFONO, limite=1)
        lead = found["leads"][0]["id"]
        before = await call("verLead", id=lead)
        await call("conversacion", id=lead, rol="user", mensaje="Quiero reformar el baño", idempotencyKey=f"1-{mode}-{id(server)}")
        await call("conversacion", id=lead, rol="assistant", mensaje="¿Cuántos metros tiene?", botStep="metros")
        assert (await call("perfil", id=lead, tipoReforma="bano", m2Suelo=6))["actualizado"] == ["tipoReforma", "m2Suelo"]
        await call("calificacion", id=lead, score=82, nivel="A")
        await call("intento", id=lead, canal="messaging", numeroIntento=1)
        ended = await call("ingesta", id=lead, items=[{"tipo": "texto", "texto": "Plato de ducha", "zona": "bano"}], finalizar=True)
        assert ended["finalizado"]["ok"], ended
        quote = (await call("listarPresupuestos", id=lead))["presupuestos"][0]
        ficha = await call("verLead", id=lead)
        assert len(ficha["conversacion"]) == len(before["conversacion"]) + 2 and ficha["m2Suelo"] == 6
        assert ficha["presupuestos"][0]["totalCents"] == quote["totalCents"]
        assert (await call("verVisita", id=lead))["visita"] is None
        assert isinstance((await call("verPendiente"))["pendientes"], list)
        wrong = await client.call_tool("conversacion", {"id": lead, "rol": "nadie"})
        assert wrong.is_error and "/rol (valor)" in wrong.content[0].text, wrong
        return len(schemas), len(ficha["conversacion"])


async def refused(server):
    """Whoever it is gets no session."""
    try:
        async with Client(server, mode="legacy") as client:
            await client.list_tools()
    except BaseException:  # the client wraps a refusal in a group of its own
        return
    raise AssertionError("a stranger was let in")


async def main(folder):
    environment = {"PATH": os.environ["PATH"], "NO_PROXY": "*", "FUNNEL_API_KEY": KEY, "DATA_DIR": f"{folder}/data", "BIND": "127.0.0.1:0"}
    server, url = served(environment, folder)
    try:
        posted(url, "/api/leads", {"nombre": "Ana García", "telefono": TELEFONO, "email": "ana@ejemplo.es"})
        elsewhere = {"PATH": os.environ["PATH"], "NO_PROXY": "*", "EMBUDO_URL": url, "EMBUDO_API_KEY": KEY}
        authorized = {"authorization": f"Bearer {KEY}"}
        for mode in ("legacy", "auto"):
            tools, turns = await talk(http(url, authorized), mode)
            print(f"MCP over HTTP ({mode}): {tools} tools, {turns} turns")
            stdio = StdioServerParameters(command=embudo, args=["mcp"], env=elsewhere, cwd=folder)
            tools, turns = await talk(stdio, mode)
            print(f"MCP on stdio ({mode}): {tools} tools, {turns} turns")
        await refused(http(url, {"authorization": "Bearer otra"}))
        await refused(http(url, authorized | {"host": "evil.example"}))
        log = Path(folder, "log").read_text()
        told = [line for line in log.splitlines() if any(word in line for word in ("Ana García", "Plato de ducha", KEY))]
        assert not told, f"the log says nothing of people: {told}"
    finally:
        server.kill()
        server.wait()


with tempfile.TemporaryDirectory(prefix="embudo-mcp-") as folder:
    asyncio.run(asyncio.wait_for(main(folder), 600))
