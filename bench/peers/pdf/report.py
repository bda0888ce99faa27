"""The report of bench/pdf, in Markdown."""

import os
import statistics
import subprocess
from datetime import UTC, datetime
from pathlib import Path

QUIENES = ["Embudo", "WeasyPrint", "Chromium"]
# Promise S5: how many times faster, by peer and quote.
METAS = {("WeasyPrint", "800"): 10, ("Chromium", "800"): 10, ("WeasyPrint", "sin"): 10, ("Chromium", "sin"): 10}
# The first quote of a process, and the part of all cores that is busy where several quotes wait.
PRIMERA, NUCLEOS = 2, 0.8
MEMORIA_MB = 120


def mediana(medidas, campo="ms"):
    return statistics.median(m[campo] for m in medidas)


def razon(medidas, otro, caso, campo="ms"):
    """The median of the ratios within each round."""
    return statistics.median(b[campo] / a["ms"] for a, b in zip(medidas["Embudo", caso], medidas[otro, caso], strict=True))


def cpu(medidas):
    """The kernel counts in steps of 10 ms, so only a mean says something."""
    return statistics.mean(m["cpu_ms"] for m in medidas)


def de(orden):
    try:
        return subprocess.run(orden, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "?"


def primera(p):
    return statistics.median(p["first"]) / statistics.median(p["next"])


def cumple(bien):
    return "met" if bien else "**missed**"


def escribir(ruta, casos, medidas, memorias, peores, procesos, fichas, versiones, carga, rondas):
    procesador = next((li.split(":")[1].strip() for li in Path("/proc/cpuinfo").read_text().splitlines() if li.startswith("model name")), "?")
    sucio = "-dirty" if de(["git", "status", "--porcelain", "--", "crates/embudo-quote", "bench"]) else ""
    f = [
        "# The quote's PDF, against WeasyPrint and Chromium",
        "",
        "Written by `bench/pdf`; `bench/README.md` says what is compared and how. The machine's cores are shared, so the ratios matter.",
        "",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- processor: {procesador}, {os.cpu_count()} cores",
        f"- load average before the run: {carga[0]:.2f} {carga[1]:.2f} {carga[2]:.2f}",
        f"- commit: {de(['git', 'rev-parse', '--short=10', 'HEAD'])}{sucio}",
        f"- WeasyPrint {versiones['WeasyPrint']['version']}, Chromium {versiones['Chromium']['version']}",
        f"- {rondas} rounds in turns after a warm-up; medians; ratios are medians of the ratios within a round",
        "",
        "## Promises",
        "",
        "| # | what | goal | measured | |",
        "|---|---|---|---|---|",
    ]
    for (quien, caso), meta in METAS.items():
        r = razon(medidas, quien, caso)
        f.append(f"| S5 | {casos[caso]}, against {quien} | ≥ {meta} × faster | {r:.1f} × | {cumple(r >= meta)} |")
    for p in procesos:
        veces, ocupados = primera(p), p["busy"] / p["cores"]
        f.append(f"| S5 | first quote after a start, {casos[p['case']]} | ≤ {PRIMERA} × the median | {veces:.1f} × | {cumple(veces <= PRIMERA)} |")
        f.append(f"| S5 | cores busy while several wait, {casos[p['case']]} | ≥ {NUCLEOS:.0%} | {ocupados:.0%} | {cumple(ocupados >= NUCLEOS)} |")
    m = memorias["Embudo"]
    for que, valor in (("after 20 PDFs", m["after"] - m["idle"]), ("at the peak", m["peak"] - m["idle"])):
        f.append(f"| S5 | extra memory, 12 photos of 800 px, {que} | ≤ {MEMORIA_MB} MB | {valor:.0f} MB | {cumple(valor <= MEMORIA_MB)} |")
    f += [
        "",
        "## Time",
        "",
        "*Printing alone* is Chromium's `page.pdf` without loading the page. *CPU* is what all its processes burnt, a mean.",
        "",
        "| quote | | median | fastest | slowest | against Embudo | CPU | against Embudo | printing alone | pages | size |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for caso, nombre in casos.items():
        for quien in QUIENES:
            suyas = medidas[quien, caso]
            ficha = fichas[quien.lower(), caso]
            tiempos = [s["ms"] for s in suyas]
            solo = f"{mediana(suyas, 'print_ms'):.0f} ms, {razon(medidas, quien, caso, 'print_ms'):.1f} ×" if "print_ms" in suyas[0] else "–"
            f.append(
                f"| {nombre} | {quien} | {statistics.median(tiempos):.1f} ms | {min(tiempos):.1f} ms | {max(tiempos):.1f} ms "
                f"| {razon(medidas, quien, caso):.1f} × | {cpu(suyas):.0f} ms | {cpu(suyas) / cpu(medidas['Embudo', caso]):.1f} × | {solo} "
                f"| {ficha['pages']} | {ficha['bytes'] / 1024:.0f} KB |"
            )
    f += [
        "",
        "## Memory",
        "",
        "A fresh process, 20 PDFs with 12 photos of 800 px. Resident memory; for Chromium the sum of its processes with shared pages counted once.",
        "",
        "| | idle | after 20 | peak | extra at the peak |",
        "|---|---:|---:|---:|---:|",
    ]
    for quien in QUIENES:
        m = memorias[quien]
        f.append(f"| {quien} | {m['idle']:.0f} MB | {m['after']:.0f} MB | {m['peak']:.0f} MB | {m['peak'] - m['idle']:.0f} MB |")
    f += [
        "",
        "## Processes as the server's",
        "",
        "The first quote waits for its process to start and read its typefaces; medians of several starts. Then many quotes, one after"
        " another and as many at once as there are cores: time for each.",
        "",
        "| quote | first | next | one by one | at once | cores busy |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for p in procesos:
        primero, siguiente = statistics.median(p["first"]), statistics.median(p["next"])
        f.append(f"| {casos[p['case']]} | {primero:.0f} ms | {siguiente:.0f} ms | {p['alone']:.1f} ms | {p['together']:.1f} ms | {p['busy']:.2f} of {p['cores']} |")
    f += ["", "## The worst", "", "Ours alone, five times each; no limit of time applies to the template that ships.", "", "| quote | first | median | slowest |", "|---|---:|---:|---:|"]
    nombres = {
        "hostil": "hostile: words of 10,000 and 3,000 letters, emoji, several scripts, template code as text",
        "integral": "a whole flat: 40 photos in five zones, long notes",
        "peor": "as much as is ever printed: 80 photos, notes of 40,000 characters, conditions of 32,000",
    }
    for caso, nombre in nombres.items():
        tiempos = [p["ms"] for p in peores[caso]]
        f.append(f"| {nombre} | {tiempos[0]:.0f} ms | {statistics.median(tiempos):.0f} ms | {max(tiempos):.0f} ms |")
    f += ["", f"Peak of that process: {peores['peak']:.0f} MB.", ""]
    ruta.parent.mkdir(parents=True, exist_ok=True)
    ruta.write_text("\n".join(f))
