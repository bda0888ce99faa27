"""An owner's evening: prices changed, a new item, costs by percentage, a quote with its margin, and the week's figures. Every number is
compared with what arithmetic makes of the others."""

import csv
import io
import time
from decimal import ROUND_HALF_UP, Decimal

from day import amounts, format_cents, shown
from playwright.sync_api import expect
from server import Server
from window import VIEWS, Window, leave, person, sign_in

EMAIL = "marta@reformasalba.example"
NAME = "Ana García"
# The price of this item is typed; the cost of that one too. All others cost their part of the price.
PRICED, COSTED = "alicatado-bano", "mampara-bano"
PRICE, COST, PART = 61_50, 300_00, 62
NEW = {"concepto": "Toallero eléctrico de 500 W", "key": "toallero-electrico-de-500-w", "price": 180_00, "cost": 95_50}


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    for n, (screen, with_js) in enumerate(VIEWS):
        home = Server(receiver)
        try:
            person(home, "admin@reformasalba.example", "Eva Sanz", "--administrador")
            person(home, EMAIL, "Marta Ruiz", "--role", "mi-empresa=gestor")
            home.send("empresa", "set", "mi-empresa", "--nombre", "Reformas Alba")
            home.brand("--nif", "B12345674", "--direccion", "Calle Mayor 1, 28013 Madrid")
            window = Window(browser, home, screen, with_js, screenshots)
            sign_in(window, home, EMAIL)
            prices(window, home)
            new_item(window)
            costs(window)
            keep(window, home)
            if n == 0:
                sheet(window, home)
            lead, figures = quote(window, home)
            week(window, home, lead, figures)
            leave(window)
            yield window.name
        finally:
            home.close()


def rounded(value):
    """To the cent, halves away from zero."""
    return int(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP))


def number(text):
    """«1.234,5» in hundredths."""
    whole = Decimal(text.replace(".", "").replace(",", "."))
    return int(whole * 100)


def unsaved(window):
    return window.page.locator(".tarifa-barra [role=status]")


def prices(window, home):
    """An item of another chapter is found and gets a price. Who leaves without keeping it is asked."""
    page = window.page
    page.goto(f"{home.url}/panel/empresa/tarifa")
    page.get_by_role("link", name="Cambiar precios").click()
    expect(unsaved(window)).to_have_text("Sin cambios todavía")
    # The first chapter is in sight; the search looks in all of them.
    page.get_by_label("Buscar en toda la tarifa").fill("Alicatado baño")
    page.locator("button[value=buscar]").click()
    expect(page.locator(".tarifa-editable").first).to_be_visible()
    box = page.locator(f"input[name='precio.{PRICED}.media']")
    box.fill(format_cents(PRICE))
    if window.with_js:
        expect(unsaved(window)).to_have_text("Tienes cambios sin guardar")
        asked(window, f"{home.url}/panel/resumen")
        expect(box).to_have_value(format_cents(PRICE))
    window.look("tarde-precio")
    page.locator("button[value=buscar]").click()
    expect(unsaved(window)).to_have_text("Tienes 1 cambio sin guardar")
    if window.with_js:
        asked(window, f"{home.url}/panel/resumen")


def asked(window, elsewhere):
    """The browser asks before a change is lost, and stays where the person says so."""
    page, said = window.page, []

    def stay(dialog):
        said.append(dialog.type)
        dialog.dismiss()

    before = page.url
    # A browser asks only where somebody has touched the page.
    page.locator("#partidas").click()
    page.once("dialog", stay)
    with page.expect_event("dialog"):
        page.evaluate("address => { setTimeout(() => { location.href = address }) }", elsewhere)
    expect(page.locator("#partidas")).to_be_visible()
    assert said == ["beforeunload"] and page.url == before, (said, page.url)


def new_item(window):
    """Wrongly, with the mistakes beside its fields; then rightly."""
    page = window.page
    page.get_by_text("Añadir una partida").click()
    page.get_by_label("Qué es, como lo leerá el cliente").fill(NEW["concepto"])
    page.locator("[name='nueva.cantidad']").fill("techo")
    page.locator("[name='nueva.capitulo']").select_option("sanitarios")
    page.locator("[name='nueva.media.precio']").fill("muchos")
    page.get_by_role("button", name="Añadir la partida").click()
    expect(page.locator("[id='nueva.media.precio-error']")).to_be_visible()
    expect(page.locator("[id='nueva.cantidad-error']")).to_be_visible()
    window.look("tarde-nueva-mal")
    page.locator("[name='nueva.cantidad']").fill("1")
    page.locator("[name='nueva.media.precio']").fill(format_cents(NEW["price"]))
    page.locator("[name='nueva.media.coste']").fill(format_cents(NEW["cost"]))
    page.locator("[name='nueva.material']").fill("30")
    page.get_by_role("button", name="Añadir la partida").click()
    expect(page.locator("code", has_text=NEW["key"])).to_be_visible()
    expect(unsaved(window)).to_have_text("Tienes 2 cambios sin guardar")
    window.look("tarde-nueva")


def costs(window):
    """One number for the whole table, and one item that costs something else."""
    page = window.page
    page.get_by_label("Lo que te cuesta, en % del precio").fill(str(PART))
    page.get_by_role("button", name="Poner costes").click()
    chapters = page.locator("[aria-label='Costes por capítulo'] dd")
    assert chapters.count() == 13 and set(chapters.all_inner_texts()) == {f"{PART}\xa0%"}, chapters.all_inner_texts()
    page.get_by_label("En las casillas").select_option("costes")
    page.get_by_label("Buscar en toda la tarifa").fill("mampara")
    page.locator("button[value=buscar]").click()
    box = page.locator(f"input[name='coste.{COSTED}.media']")
    price = number(page.locator(f"[id='coste.{COSTED}.media-ayuda']").inner_text().removeprefix("precio "))
    assert number(box.get_attribute("placeholder")) == rounded(Decimal(price * PART) / 100), box.get_attribute("placeholder")
    box.fill(format_cents(COST))
    window.look("tarde-costes")


def keep(window, home):
    page = window.page
    page.get_by_role("button", name="Revisar y guardar").click()
    expect(page.get_by_role("heading", name="Revisar la tarifa")).to_be_visible()
    expect(page.get_by_text("Tienes cambios sin guardar")).to_be_visible()
    expect(page.get_by_text("1 es nueva")).to_be_visible()
    window.look("tarde-revisar")
    page.get_by_label("Nombre de la versión").fill("tarde-1")
    page.get_by_role("button", name="Guardar la versión").click()
    expect(page.get_by_text("Versión guardada.")).to_be_visible()
    window.look("tarde-tarifa")


def sheet(window, home):
    """The items go out as a sheet, as Spanish Excel reads it, and come back as they were; a mistake has its line and column."""
    page = window.page
    with page.expect_download() as kept:
        page.get_by_role("link", name="Bajar para Excel (CSV)").click()
    assert kept.value.suggested_filename == "tarifa-tarde-1.csv", kept.value.suggested_filename
    data = kept.value.path().read_bytes()
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=";"))
    by_key = {row["clave"]: row for row in rows}
    assert by_key[PRICED]["media.precio"] == "61,50" and by_key[COSTED]["media.coste"] == "300,00", by_key[PRICED]
    assert by_key[NEW["key"]]["media.coste"] == "95,50" and len(rows) == 105, len(rows)
    page.get_by_role("link", name="Importar un archivo").click()
    upload(page, data)
    expect(page.get_by_text("Ninguna partida cambia.")).to_be_visible()
    page.go_back()
    wrong = data.replace(b'"61,50"', b'"sesenta"')
    upload(page, wrong)
    line = next(n for n, row in enumerate(rows, 2) if row["clave"] == PRICED)
    expect(page.locator(".tarifa-fallos")).to_contain_text(f"Línea {line} media.precio")
    window.look("tarde-csv-mal")


def upload(page, data):
    page.get_by_label("Archivo").set_input_files({"name": "mia.csv", "mimeType": "text/csv", "buffer": data})
    page.get_by_role("button", name="Leer y revisar").click()


def quote(window, home):
    """A bathroom's quote with the new item: what each line costs is in it, and its margin is what is left. It is sent and accepted."""
    page = window.page
    known = {"tipoReforma": "bano", "m2Suelo": 6, "calidadGlobal": "media", "provincia": "Madrid", "urgencia": "media"}
    lead = home.api("/api/leads", {"nombre": NAME, "telefono": "612345678", "email": "ana@cliente.example", **known})["id"]
    page.goto(f"{home.url}/panel/leads/{lead}?parte=presupuesto")
    page.get_by_role("button", name="Preparar presupuesto").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Presupuesto de {NAME}")
    page.locator("input[name='tabla.1']").fill(NEW["concepto"])
    page.locator("button[value='tabla.1']").click()
    expect(page.locator(f".partida [name$='.concepto'][name*='{NEW['key']}']")).to_have_count(1)
    base = cost = 0
    for line in page.locator(".partida").all():
        value = lambda name: line.locator(f"[name$='.{name}']").first.input_value()
        key = line.get_attribute("id").removeprefix("l-1-")
        price, unit, quantity = number(value("precio")), number(value("coste")), number(value("cantidad"))
        expected = {COSTED: COST, NEW["key"]: NEW["cost"]}.get(key, rounded(Decimal(price * PART) / 100))
        assert unit == expected, (key, unit, expected)
        assert key != PRICED or price == PRICE, price
        amount = rounded(Decimal(price * quantity) / 100)
        assert amount == shown(line.locator(".partida-importe")), key
        base += amount
        cost += rounded(Decimal(unit * quantity) / 100)
    margin = check_margin(page, base, cost)
    window.look("tarde-presupuesto")
    press = page.locator(".editor-barra button[value=enviar]" if window.touch else ".editor-lado button[value=enviar]")
    press.click()
    expect(page.get_by_role("button", name="Enviar presupuesto")).to_be_visible()
    check_margin(page, base, cost)
    page.get_by_role("button", name="Enviar presupuesto").click()
    expect(page.get_by_text("Enviado. Abajo se ve cómo llega.")).to_be_visible()
    check_margin(page, base, cost)
    # It can be accepted once its PDF is drawn.
    while not home.api(f"/api/leads/{lead}")["presupuestos"][0]["estado"] == "emitido":
        time.sleep(0.1)
    page.reload()
    page.get_by_role("link", name="Aceptado por teléfono").click()
    page.get_by_label("Hace la declaración").check()
    page.get_by_role("button", name="Apuntar que lo acepta").click()
    expect(page.get_by_role("heading", name="Lo que ha aceptado")).to_be_visible()
    record = home.api(f"/api/leads/{lead}")
    (sent,) = record["presupuestos"]
    assert sent["totalCents"] == base + rounded(Decimal(base) / 10), (sent, base)
    assert "coste" not in str(record).lower() and "margen" not in str(record).lower(), record
    return lead, {"base": base, "cost": cost, "margin": margin, "total": sent["totalCents"]}


def check_margin(page, base, cost):
    """What the page says of the margin is what is left of the base."""
    text = page.locator(".cuentas-margen").inner_text()
    assert amounts(text) == [base - cost, cost], (text, base, cost)
    assert f"{percentage(base - cost, base)}\xa0%" in text, text
    assert "sin coste" not in text, text
    return base - cost


def percentage(part, whole):
    """With two decimals at most, as people write it."""
    hundredths = rounded(Decimal(part * 10_000) / whole)
    return f"{hundredths / 100:.2f}".rstrip("0").rstrip(".").replace(".", ",")


def week(window, home, lead, figures):
    """The week's figures are those of the one quote."""
    page = window.page
    for _ in range(100):
        page.goto(f"{home.url}/panel/resumen?periodo=semana")
        if page.locator(".clave").filter(has_text="tienen costes").count():
            break
        time.sleep(0.1)
    expect(page.get_by_role("link", name="Esta semana", exact=True)).to_have_attribute("aria-current", "true")
    keys = {key.locator("dt").inner_text(): key for key in page.locator(".clave").all()}
    assert keys["Leads"].locator(".clave-cifra").inner_text() == "1", keys["Leads"].inner_text()
    for name, cents in [("Presupuestado", figures["total"]), ("Aceptado", figures["total"]), ("Margen", figures["margin"])]:
        assert shown(keys[name].locator(".clave-cifra")) == cents, (name, keys[name].inner_text(), cents)
    # The summary's words have one decimal.
    tenths = rounded(Decimal(figures["margin"] * 1_000) / figures["base"])
    part = f"{tenths / 10:.1f}".replace(".0", "").replace(".", ",")
    said = keys["Margen"].inner_text().replace("\xa0", " ")
    assert f"{part} %; 1 de 1 tienen costes" in said, (said, part)
    window.look("tarde-resumen")
