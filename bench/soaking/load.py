"""The mixed load of bench/soak against one running server: callers at a steady pace, and what the kernel says of the server."""

import argparse
import http.client
import json
import os
import random
import re
import struct
import threading
import time
import zlib
from base64 import b64encode
from html import unescape
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

KEY = os.environ["FUNNEL_API_KEY"]
SAID = "Queremos reformar el baño entero: plato de ducha, mampara, azulejo hasta el techo y un mueble con dos senos."


class Notes:
    """Latencies and failures by kind of call, since the last sample and in all."""

    def __init__(self):
        self.lock = threading.Lock()
        self.recent, self.calls, self.failures, self.refused = {}, {}, {}, {}

    def answered(self, kind, ms, status):
        with self.lock:
            self.recent.setdefault(kind, []).append(ms)
            self.calls[kind] = self.calls.get(kind, 0) + 1
            if status == 0 or status >= 500:
                self.failures[kind] = self.failures.get(kind, 0) + 1
            elif status >= 400:
                self.refused[kind] = self.refused.get(kind, 0) + 1

    def take(self):
        with self.lock:
            taken, self.recent = self.recent, {}
            return taken


class Caller:
    """One kept-alive connection; opened again after a failure, as a client would."""

    def __init__(self, addr, notes):
        self.addr, self.notes, self.connection = addr, notes, None

    def call(self, kind, method, path, body=None, headers=None):
        """Status, headers and text; status 0 without an answer."""
        begun = time.perf_counter()
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.addr, timeout=40)
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
            status, got, text = answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            print(f"{kind}: {error!r}", flush=True)
            status, got, text = 0, {}, b""
            self.connection.close()
            self.connection = None
        self.notes.answered(kind, (time.perf_counter() - begun) * 1000, status)
        if status >= 500:
            print(f"{kind}: {status} {text[:200]!r}", flush=True)
        return status, got, text

    def api(self, kind, path, body, method="POST"):
        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        status, _, text = self.call(kind, method, path, json.dumps(body) if body is not None else None, headers)
        return json.loads(text) if status in (200, 201) else {}


def png(side):
    """A picture that differs from all others and can be decoded: a coarse pattern of random colours."""
    row = b"\0" + b"".join(bytes(random.randrange(256) for _ in range(3)) * 40 for _ in range(side // 40))
    pixels = zlib.compress(row * side, 1)

    def part(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", (len(row) - 1) // 3, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", pixels) + part(b"tEXt", b"n\0" + os.urandom(64)) + part(b"IEND", b"")


def new_lead(caller, n):
    return caller.api("alta", "/api/leads", {"nombre": f"Clienta {n}", "telefono": f"+346{n:08}", "email": f"clienta{n}@ejemplo.es"})["id"]


def bot(caller, leads):
    """What a workflow sends all day."""
    lead = f"/api/leads/{random.choice(leads)}"
    which = random.randrange(6)
    if which < 3:
        caller.api("conversacion", f"{lead}/conversacion", {"rol": random.choice(["user", "assistant"]), "mensaje": SAID})
    elif which == 3:
        caller.api("perfil", f"{lead}/perfil", {"tipoReforma": "bano", "m2Suelo": random.randrange(3, 12), "calidadGlobal": "media"})
    elif which == 4:
        caller.api("intento", f"{lead}/intento", {"canal": "llamada", "numeroIntento": 1, "completado": False})
    else:
        caller.api("record", lead, None, "GET")


def photo(caller, leads):
    image = "data:image/png;base64," + b64encode(png(1200)).decode()
    item = {"tipo": "foto", "zona": "bano", "imagen": image}
    caller.api("foto", f"/api/leads/{new_lead(caller, random.randrange(10**8))}/ingesta", {"items": [item]})


def signal(caller, leads):
    caller.api("señal", f"/api/leads/{random.choice(leads)}/ingesta", {"perfilCompleto": True})


def quote(caller, leads):
    """A quote that differs from the last one, so that it is drawn."""
    lead = random.choice(leads)
    caller.api("perfil", f"/api/leads/{lead}/perfil", {"tipoReforma": "bano", "m2Suelo": random.randrange(30, 120) / 10, "calidadGlobal": "media"})
    caller.api("presupuesto", f"/api/leads/{lead}/ingesta", {"finalizar": True})


FORM = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}


def form(caller, _leads):
    """The first steps of the form, from an address of its own."""
    visitor = {"x-forwarded-for": f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}"}
    query = "tipo=bano&m2=5%2C5"
    caller.call("formulario", "GET", "/", headers=visitor)
    status, _, page = caller.call("formulario", "GET", f"{FORM_PATH[0]}/contacto?{query}", headers=visitor)
    if status != 200:
        return
    time.sleep(2)  # a person does not type faster than this either
    hidden = dict(re.findall(r'name="(boleto|secreto)"[^>]*value="([^"]*)"', page.decode()))
    n = random.randrange(10**8)
    fields = {"nombre": "Ana García", "telefono": f"6{n:08}", "email": f"ana{n}@ejemplo.es", "provincia": "Madrid", "tipo": "bano", "m2": "5.5", "web": ""}
    body = urlencode(fields | {name: unescape(value) for name, value in hidden.items()})
    status, got, _ = caller.call("formulario", "POST", f"{FORM_PATH[0]}/contacto", body, FORM | visitor)
    if status == 303:
        caller.call("formulario", "GET", got["location"], headers=visitor)


FORM_PATH = [""]


def find_form(caller):
    """The company's own address of the form, as the first page names it."""
    _, _, page = caller.call("formulario", "GET", "/")
    FORM_PATH[0] = re.search(r'"(/f/[a-z0-9-]+)', page.decode()).group(1)


PANEL = ["/panel/leads", "/panel/leads?q=garcia", "/panel/leads?q=xilofono", "/panel/resumen", "/panel/presupuestos", "/panel/visitas", "/panel/envios"]


def panel(caller, leads):
    if caller.cookie is None:
        form = urlencode({"correo": "luis@ejemplo.es", "clave": "cuatro gatos verdes bailan", "a": "/panel/leads"})
        status, got, _ = caller.call("entrar", "POST", "/panel/entrar", form, FORM)
        if status != 303:
            return
        caller.cookie = "; ".join(line.split(";")[0] for line in got.get_all("set-cookie"))
    path = random.choice([*PANEL, f"/panel/leads/{random.choice(leads)}", f"/panel/leads/{random.choice(leads)}"])
    status, _, _ = caller.call("panel", "GET", path, headers={"cookie": caller.cookie})
    if status == 303:
        caller.cookie = None


# What is done, how often a second, and by how many callers.
TASKS = [(bot, 40, 4), (photo, 1, 1), (signal, 4, 4), (quote, 0.5, 2), (form, 0.5, 2), (panel, 4, 2)]


def keep_on(task, every, addr, notes, leads, end):
    caller = Caller(addr, notes)
    caller.cookie = None
    due = time.monotonic() + random.random() * every
    while due < end:
        time.sleep(max(0, due - time.monotonic()))
        try:
            task(caller, leads)
        except Exception as error:  # noqa: BLE001: a caller that dies would make the load lighter unseen
            notes.answered(task.__name__, 0, 0)
            print(f"{task.__name__}: {error!r}", flush=True)
        due = max(due + every, time.monotonic())


def status(pid, field):
    found = re.search(rf"^{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found.group(1)) if found else 0


def family(pid):
    """The processes that draw quotes."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parent = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found.append(int(entry))
    return found


def megabytes(pids):
    total = 0
    for pid in pids:
        try:
            total += status(pid, "VmRSS")
        except OSError:
            pass
    return total / 1024


def sample(pid, notes, at):
    taken = notes.take()

    def share(kind, part):
        times = sorted(taken.get(kind, [])) or [0]
        return times[int((len(times) - 1) * part)]

    return {
        "s": round(at),
        "rss": round(megabytes([pid]), 1),
        "children": round(megabytes(family(pid)), 1),
        "handles": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": status(pid, "Threads"),
        "calls": sum(map(len, taken.values())),
        **{f"{kind} {name}": round(share(kind, part), 1) for kind in ("conversacion", "panel", "presupuesto") for name, part in (("p50", 0.5), ("p99", 0.99))},
    }


def curve(values):
    """A line of blocks, from zero to the most."""
    most = max(values) or 1
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(value / most * 7.99))] for value in values)


def verdicts(samples):
    """The last quarter against the second: what is filled once has been filled by then."""
    quarter = max(1, len(samples) // 4)
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    for what, words, slack in (("rss", "memory of the server, MB", 8), ("handles", "open file handles", 16)):
        a, b = (median(s[what] for s in part) for part in (early, late))
        yield f"{words}, last quarter against the second", "≤ 1.1 ×", f"{b / a:.2f} × ({a:g} → {b:g})", b <= 1.1 * a or b - a <= slack


def report(engine, samples, notes, verdict):
    shown = samples if len(samples) <= 13 else [samples[round(i * (len(samples) - 1) / 12)] for i in range(13)]
    columns = list(samples[0])
    lines = [f"## {engine}", "", "| what | goal | measured | |", "|---|---|---|---|"]
    lines += [f"| {what} | {goal} | {got} | {'met' if met else '**missed**'} |" for what, goal, got, met in verdict]
    lines += ["", "```"]
    lines += [f"{what:9}{curve([s[what] for s in samples])}  {samples[0][what]:g} → {samples[-1][what]:g}" for what in ("rss", "handles", "calls")]
    lines += ["```", "", "Times in ms. MB: of the server, and of the processes that draw quotes.", ""]
    lines += ["| " + " | ".join(columns) + " |", "|" + "---:|" * len(columns)]
    lines += ["| " + " | ".join(f"{s[c]:g}" for c in columns) + " |" for s in shown]
    lines += ["", "| call | answered | 4xx | failed |", "|---|---:|---:|---:|"]
    lines += [f"| {kind} | {n} | {notes.refused.get(kind, 0)} | {notes.failures.get(kind, 0)} |" for kind, n in sorted(notes.calls.items())]
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser()
    for name, kind in (("engine", str), ("addr", str), ("pid", int), ("secs", float), ("pace", float), ("out", str)):
        options.add_argument(f"--{name}", type=kind, required=True)
    o = options.parse_args()
    notes = Notes()
    caller = Caller(o.addr, notes)
    find_form(caller)
    leads = [new_lead(caller, n) for n in range(300)]
    begun = time.monotonic()
    end = begun + o.secs
    for task, rate, callers in TASKS:
        for _ in range(callers):
            threading.Thread(target=keep_on, args=(task, callers / (rate * o.pace), o.addr, notes, leads, end), daemon=True).start()
    samples, every = [], max(2, o.secs / 120)
    notes.take()
    while time.monotonic() < end - every / 2:
        time.sleep(every)
        samples.append(sample(o.pid, notes, time.monotonic() - begun))
    failures = sum(notes.failures.values())
    verdict = [*verdicts(samples), ("calls without an answer or with a 5xx", "0", f"{failures} of {sum(notes.calls.values())}", failures == 0)]
    Path(f"{o.out}.md").write_text(report(o.engine, samples, notes, verdict))
    columns = list(samples[0])
    Path(f"{o.out}.csv").write_text("\n".join([",".join(columns), *(",".join(str(s[c]) for c in columns) for s in samples)]) + "\n")
    raise SystemExit(0 if all(met for *_, met in verdict) else 1)


if __name__ == "__main__":
    main()
