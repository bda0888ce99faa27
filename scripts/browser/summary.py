"""The summary: figures of nothing, of one lead and of many, ranges chosen and mistyped, tables behind charts, and the export."""

import csv
import io
import time

import lead
import sample
from lead import EMAIL
from playwright.sync_api import expect
from server import Server
from window import PASSWORD, VIEWS, Window, leave, person, sign_in

BLOCKS = ["embudo", "conversion", "semanas", "canales", "campanas", "tiempos", "dinero", "perdidos"]


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    home = Server(receiver)
    try:
        person(home, "duena@reformasalba.example", "Eva Sanz", "--administrador")
        person(home, EMAIL, "Luis Pérez", "--role", "mi-empresa=gestor")
        window = Window(browser, home, "mesa", True, screenshots)
        sign_in(window, home, EMAIL)
        empty(window, home)
        one(window, home)
        leave(window)
        yield "vacio y uno"
        sample.leads(home, 60)
        lead.fill(home)
        for screen, with_js in VIEWS:
            window = Window(browser, home, screen, with_js, screenshots)
            sign_in(window, home, EMAIL)
            figures(window, home)
            ranges(window, home)
            export(window, home)
            leave(window)
            yield window.name
    finally:
        home.close()


def leads(page):
    """How many leads the summary counts, as its first key figure says."""
    return int(page.locator(".clave-cifra").first.inner_text().replace(".", ""))


def settled(page, address, how_many):
    """The summary, once it counts as many leads as there are."""
    for _ in range(100):
        page.goto(address)
        if page.locator(".clave-cifra").count() and leads(page) >= how_many:
            return
        time.sleep(0.1)
    raise AssertionError(f"{how_many} leads are not counted")


def empty(window, home):
    page = window.page
    page.get_by_role("link", name="Resumen").click()
    expect(page.get_by_role("heading", name="Nada en estas fechas")).to_be_visible()
    window.look("resumen-vacio")


def one(window, home):
    page = window.page
    home.api("/api/leads", {**lead.PERSON, "email": "sola@ejemplo.es"})
    settled(page, f"{home.url}/panel/resumen", 1)
    expect(page.locator("#embudo .grafico")).to_be_visible()
    window.look("resumen-uno")


def figures(window, home):
    page = window.page
    settled(page, f"{home.url}/panel/resumen?periodo=ano", 62)
    total = leads(page)
    for block in BLOCKS:
        section = page.locator(f"#{block}")
        section.scroll_into_view_if_needed()
        if section.get_by_text("Nada en estas fechas.").count():
            assert block == "perdidos", "only nobody was lost among these"
            continue
        fold = section.locator("details")
        if fold.count():
            fold.locator("summary").click()
        expect(section.locator("table")).to_be_visible()
    counted = sum(int(cell) for cell in page.locator("#embudo td:nth-child(2)").all_inner_texts())
    assert counted == total, (counted, total)
    counted = sum(int(cell) for cell in page.locator("#canales td:nth-child(2)").all_inner_texts())
    assert counted == total, (counted, total)
    # What is drawn can be read: no word of a chart is smaller than it would be on paper.
    sizes = page.eval_on_selector_all(".grafico", "all => all.map(svg => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)")
    assert sizes and min(sizes) >= 11, sizes
    window.look("resumen")


def ranges(window, home):
    page = window.page
    for name in ("Este mes", "90 días", "Este año"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "true")
    page.goto(f"{home.url}/panel/resumen?desde=2027-02-29&hasta=ayer")
    expect(page.get_by_text("Escribe un día").first).to_be_visible()
    window.look("resumen-mal")
    page.get_by_label("Desde").fill("2027-03-02")
    page.get_by_label("Hasta").fill("2027-03-01")
    page.get_by_role("button", name="Ver").click()
    expect(page.get_by_text("El último día va después del primero").first).to_be_visible()
    page.goto(f"{home.url}/panel/resumen?desde=2020-01-01&hasta=2020-12-31")
    expect(page.get_by_role("heading", name="Nada en estas fechas")).to_be_visible()


def export(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/resumen?periodo=ano")
    total = leads(page)
    page.get_by_text("Exportar estas cifras").click()
    page.get_by_label("Tu contraseña").fill("no es esta de verdad")
    page.get_by_role("button", name="CSV").click()
    expect(page.get_by_text("Esa no es tu contraseña").first).to_be_visible()
    window.look("resumen-exportar-mal")
    page.get_by_label("Tu contraseña").fill(PASSWORD)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(io.StringIO(file.read()), delimiter=";"))
    assert rows[0] == ["apartado", "concepto", "medida", "valor"], rows[0]
    funnel = [int(row[3]) for row in rows if row[0] == "Embudo por etapa" and row[2] == "Leads"]
    assert sum(funnel) == total, (funnel, total)
    assert waiting.value.suggested_filename.startswith("resumen-"), waiting.value.suggested_filename
