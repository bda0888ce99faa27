"""Fills the panel of a running server, signs somebody in and prints their cookie and the path of a lead. Run by scripts/lighthouse."""

import sys
import urllib.parse
import urllib.request
from pathlib import Path

import lead
import sample
from server import Client
from window import PASSWORD


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def cookie(url):
    form = urllib.parse.urlencode({"correo": lead.EMAIL, "clave": PASSWORD, "a": "/panel/leads"}).encode()
    request = urllib.request.Request(f"{url}/panel/entrar", form, {"sec-fetch-site": "same-origin"})
    try:
        urllib.request.build_opener(NoRedirect).open(request, timeout=60)
    except urllib.error.HTTPError as answer:
        assert answer.status == 303, answer.status
        return "; ".join(line.split(";")[0] for line in answer.headers.get_all("set-cookie"))
    raise SystemExit("nobody was signed in")


url, key = sys.argv[1], Path(sys.argv[2]).read_text().strip()
client = Client(url, key)
sample.leads(client, 60)
print(cookie(url))
print(f"/panel/leads/{lead.fill(client)}")
