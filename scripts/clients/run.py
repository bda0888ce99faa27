"""Runs, for each language, a throwaway server, the render loop of `integrations/`, a whole lead through the client, and the
snippets of `/docs`; then tries the loop with a wrong signature and with the same signal several times.

    run.py EMBUDO TYPESCRIPT_FOLDER PYTHON_FOLDER
"""

import base64
import concurrent.futures
import hmac
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SNIPPETS = ROOT / "crates/embudo-api/src/docs/snippets"
KEY = b"0123456789abcdef0123456789abcdef"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
API_KEY = "una clave de prueba"
PHOTO = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPY0hNFEmIY1TCqYfhqAABR3JoQUncOOwAAAABJRU5ErkJggg=="
embudo, typescript, python = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
# Loopback needs no proxy, whatever the environment says.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def started(command, environment):
    """A program that prints «port N» first: the program, and its port."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    word, _, port = process.stdout.readline().strip().partition(" ")
    assert word == "port", f"{command} did not start"
    return process, f"http://127.0.0.1:{port}"


def wait_for(url, server):
    end = time.monotonic() + 120
    while True:
        try:
            return opener.open(url, timeout=5).close()
        except OSError:
            assert server.poll() is None and time.monotonic() < end, "the server did not start"
            time.sleep(0.1)


def record(url, lead):
    request = urllib.request.Request(f"{url}/api/leads/{lead}", headers={"authorization": f"Bearer {API_KEY}"})
    return json.load(opener.open(request, timeout=30))


def deliver(url, body, id, key=KEY):
    """A signal, signed with a key: the status of the answer."""
    now = str(int(time.time()))
    raw = json.dumps(body).encode()
    signature = base64.b64encode(hmac.digest(key, f"{id}.{now}.".encode() + raw, "sha256")).decode()
    headers = {"webhook-id": id, "webhook-timestamp": now, "webhook-signature": f"v1,{signature}"}
    try:
        return opener.open(urllib.request.Request(url, raw, headers), timeout=120).status
    except urllib.error.HTTPError as error:
        return error.code


def try_loop(loop, url, lead):
    """A wrong signature is refused; a signal that comes four times, twice at once, is one render."""
    ficha = record(url, lead)
    fotos = {"antes": [PHOTO], "despues": []}
    body = {
        "leadId": lead,
        "cliente": {name: ficha[name] for name in ("nombre", "telefono", "email", "provincia")},
        "reforma": dict.fromkeys(("tipo", "m2Suelo", "calidad", "estructural", "urgencia", "presupuestoTarget")),
        "empresa": ficha["empresa"],
        "zonas": [{"zona": "bano", "notas": [], "fotos": fotos}],
    }
    renders = lambda: sum(foto["momento"] == "despues" for foto in record(url, lead)["fotos"])
    before, id = renders(), str(uuid.uuid4())
    assert deliver(loop, body, id, KEY[::-1]) == 401, "a wrong signature"
    assert deliver(loop, body | {"muestra": True}, id) == 200 and renders() == before, "a sample is nobody's"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        statuses = [*pool.map(lambda _: deliver(loop, body, id), range(2)), deliver(loop, body, id), deliver(loop, body, id)]
    assert statuses[-1] == 200 and 200 in statuses[:2], statuses
    assert renders() == before + 1, "one render, however often the signal comes"


def run(language, walk, loop, snippet):
    processes = []
    with tempfile.TemporaryDirectory(prefix="embudo-clients-") as folder:
        url = f"http://127.0.0.1:{free_port()}"
        environment = {
            "PATH": os.environ["PATH"],
            "EMBUDO_URL": url,
            "FUNNEL_API_KEY": API_KEY,
            "WEBHOOK_SECRET": SECRET,
            "PHOTO": PHOTO,
            "PORT": "0",
            "NO_PROXY": "*",
            "PYTHONPATH": str(python),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        try:
            walker, receiver = started(walk, environment)
            processes.append(walker)
            looper, loop_url = started(loop, environment)
            processes.append(looper)
            settings = {
                "BIND": url.removeprefix("http://"),
                "DATA_DIR": f"{folder}/data",
                "PERFIL_WEBHOOK_URL": loop_url,
                "MESSAGING_WEBHOOK_URL": f"{receiver}/pdf",
                "MESSAGING_START_WEBHOOK_URL": f"{receiver}/inicio",
                "EVENTS_WEBHOOK_URL": f"{receiver}/eventos",
            }
            with open(f"{folder}/log", "w") as log:
                server = subprocess.Popen([embudo, "serve"], env=environment | settings, cwd=folder, stdout=log, stderr=log)
            processes.append(server)
            wait_for(f"{url}/readyz", server)
            out, _ = walker.communicate("go\n", timeout=600)
            assert walker.returncode == 0, f"{language}: the walk failed\n{out}\n{Path(folder, 'log').read_text()[-4000:]}"
            _, lead, calls = out.split()
            try_loop(loop_url, url, lead)
            for operation in ("ingesta", "conversacion", "perfil", "calificacion", "intento"):
                for command in snippet(operation):
                    subprocess.run(command, env=environment | {"LEAD": lead}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
            ficha = record(url, lead)
            counts = len(ficha["conversacion"]), len(ficha["intentos"]), len(ficha["notas"])
        finally:
            for process in processes:
                process.kill()
                process.wait()
    print(f"{language}: a whole lead, {calls} webhooks verified, the loop made one render of each signal; turns, calls, notes: {counts}")
    return counts


js = lambda name: ["node", str(typescript / "js" / name)]
py = lambda path: [os.environ["PYTHON"], str(path)]
with_curl = lambda operation: [js(f"snippets/{operation}.js"), ["bash", str(SNIPPETS / f"{operation}.sh")]]
assert run("TypeScript", js("walk.js"), js("render-loop.js"), with_curl) == (3, 3, 3)
assert run(
    "Python",
    py(ROOT / "scripts/clients/walk.py"),
    py(ROOT / "integrations/render-loop/render_loop.py"),
    lambda operation: [py(SNIPPETS / f"{operation}.py")],
) == (2, 2, 2)
