"""WeasyPrint, warm: draws the quote that each line of standard input names and answers with a line of JSON. Run by medir.py."""

import json
import sys
import time
from pathlib import Path

import weasyprint
from engines import estado, guardar

CARPETA = Path(sys.argv[1])
textos = {}


def decir(**algo):
    print(json.dumps(algo), flush=True)


decir(version=weasyprint.__version__, empty_kb=estado("self", "VmRSS"))
for linea in sys.stdin:
    caso = linea.strip()
    if caso not in textos:
        textos[caso] = (CARPETA / caso / "presupuesto.html").read_text()
    inicio = time.perf_counter()
    pagina = weasyprint.HTML(string=textos[caso], base_url=f"{CARPETA}/{caso}/")
    pdf = pagina.write_pdf(pdf_tags=True, pdf_variant="pdf/ua-1")
    ms = (time.perf_counter() - inicio) * 1000
    guardar(CARPETA / f"weasyprint-{caso}.pdf", pdf)
    decir(ms=ms, bytes=len(pdf))
