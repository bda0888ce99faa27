"""Makes one quote with photos on a running server and prints the path of its page. Run by scripts/lighthouse."""

import sys
import urllib.parse
from pathlib import Path

import drawings
from server import Client

PERSON = {
    "nombre": "Ana García",
    "telefono": "612 34 56 78",
    "email": "ana@ejemplo.es",
    "provincia": "Madrid",
    "tipoReforma": "bano",
    "m2Suelo": 6.5,
    "calidadGlobal": "media",
}

url, key = sys.argv[1], Path(sys.argv[2]).read_text().strip()
_, page = Client(url, key).quote(PERSON, drawings.album())
print(urllib.parse.urlsplit(page).path)
