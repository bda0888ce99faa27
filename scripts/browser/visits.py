"""Visits: prepared in the panel, chosen by the client on their page, shown in the calendar; and the calendar that programs follow."""

import io
import time
import urllib.parse
import urllib.request
from datetime import datetime, timedelta

import icalendar
import lead
import vobject
from lead import EMAIL
from playwright.sync_api import expect
from server import Server
from window import VIEWS, Window, person, sign_in


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    home = Server(receiver)
    try:
        person(home, "duena@reformasalba.example", "Eva Sanz", "--administrador")
        person(home, EMAIL, "Luis Pérez", "--role", "mi-empresa=gestor")
        for screen, with_js in VIEWS:
            window = Window(browser, home, screen, with_js, screenshots)
            sign_in(window, home, EMAIL)
            window.look("cuenta-agenda")
            if window.name == "mesa-js":
                empty(window, home)
            prepare(window, home)
            choose(browser, window, home, screen, with_js, screenshots)
            from_the_quote(browser, window, home, screen, with_js, screenshots)
            calendar(window, home)
            from_the_calendar(window, home)
            works(window, home)
            data(window)
            settings(window, home)
            feed(window, home)
            cancel(window)
            window.context.clear_cookies()
            window.close()
            yield window.name
    finally:
        home.close()


def empty(window, home):
    window.page.goto(f"{home.url}/panel/visitas?vista=lista")
    expect(window.page.get_by_text("Ninguna visita por aquí")).to_be_visible()
    window.look("calendario-vacio")


def prepare(window, home):
    page = window.page
    someone = {**lead.PERSON, "nombre": f"Marta {window.name}", "email": f"marta.{window.name}@ejemplo.es"}
    new = home.api("/api/leads", someone)["id"]
    page.goto(f"{home.url}/panel/leads/{new}")
    page.get_by_role("link", name="Preparar una").click()
    expect(page.get_by_role("heading", name="Nueva visita")).to_be_visible()
    window.look("visita-nueva")
    page.get_by_role("button", name="Proponer estas horas").click()
    expect(page.get_by_text("Elige al menos una hora que proponer").first).to_be_visible()
    window.look("visita-nueva-mal")
    page.get_by_label("Dónde").fill("Calle de la Palma 12, 3.º izquierda, Madrid")
    page.get_by_label("Notas para quien va").fill("Aparcar es difícil: mejor en metro.")
    hours = page.locator("input[name=hueco]")
    # The last one is days ahead, so that the client may still move it.
    assert hours.count() == 12, hours.count()
    for n in (0, 5, 11):
        hours.nth(n).check()
    page.get_by_role("button", name="Proponer estas horas").click()
    expect(page.get_by_text("Visita preparada.")).to_be_visible()
    window.look("visita-propuesta")


def choose(browser, window, home, screen, with_js, screenshots):
    address = window.page.get_by_role("link", name="Abrir su página").get_attribute("href")
    client = Window(browser, home, screen, with_js, screenshots)
    page = client.page
    page.goto(home.url + address)
    expect(page.get_by_role("heading", name="Elige hora para la visita")).to_be_visible()
    client.look("cliente-elegir")
    if with_js and not client.touch:
        # With the keyboard alone.
        page.locator("input[name=hora]").last.focus()
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
    else:
        page.locator("input[name=hora]").last.check()
        client.look("cliente-elegida")
        page.get_by_role("button", name="Quedar a esta hora").click()
    expect(page.get_by_text("Hecho: nos vemos a esa hora")).to_be_visible()
    client.look("cliente-visita")
    page.get_by_role("link", name="Cambiar la hora").click()
    expect(page.get_by_role("heading", name="Elige otra hora")).to_be_visible()
    client.look("cliente-mover")
    page.get_by_text("Más días").click()
    client.look("cliente-mover-mas")
    page.locator("input[name=hora]").last.check()
    page.get_by_role("button", name="Cambiar a esta hora").click()
    expect(page.get_by_role("heading", name="¿Cambiamos la hora?")).to_be_visible()
    client.look("cliente-confirmar")
    page.get_by_role("button", name="Sí, cambiarla").click()
    expect(page.get_by_text("Hecho: nos vemos a esa hora")).to_be_visible()
    page.goto(f"{home.url}/v/no-es-un-pase")
    expect(page.get_by_role("heading", name="Aquí no hay nada")).to_be_visible()
    client.close()


def from_the_quote(browser, window, home, screen, with_js, screenshots):
    """From the quote's page to an hour of the visit, and back to what the quote says of it."""
    client = Window(browser, home, screen, with_js, screenshots)
    page = client.page
    someone = {**lead.PERSON, "nombre": f"Nuria {client.name}", "email": f"nuria.{client.name}@ejemplo.es"}
    new, address = home.quote(someone, [])
    page.goto(address)
    expect(page.get_by_role("link", name="Elegir hora para la visita")).to_have_count(0)
    panel, before = window.page, window.page.url
    panel.goto(f"{home.url}/panel/leads/{new}/visitas")
    panel.locator("input[name=hueco]").last.check()
    panel.get_by_role("button", name="Proponer estas horas").click()
    expect(panel.get_by_text("Visita preparada.")).to_be_visible()
    window.visit = panel.url.split("?")[0]
    page.reload()
    client.look("presupuesto-elegir-visita")
    page.get_by_role("link", name="Elegir hora para la visita").click()
    page.locator("input[name=hora]").last.check()
    page.get_by_role("button", name="Quedar a esta hora").click()
    expect(page.get_by_text("Hecho: nos vemos a esa hora")).to_be_visible()
    page.goto(address)
    expect(page.get_by_text("Vamos a verte el")).to_be_visible()
    client.look("presupuesto-con-visita")
    page.get_by_role("link", name="Tu visita: ver o cambiar").click()
    expect(page.get_by_role("heading", name="Tu visita")).to_be_visible()
    client.close()
    # Out of the way of the hours that others choose.
    cancel(window)
    panel.goto(before)


def calendar(window, home):
    page = window.page
    page.reload()
    expect(page.get_by_text("Confirmada").first).to_be_visible()
    window.look("visita-confirmada")
    window.visit = page.url.split("?")[0]
    when = page.get_by_label("Cuándo").input_value()
    day = when[:10]
    for view in ("mes", "semana", "lista"):
        page.goto(f"{home.url}/panel/visitas?vista={view}&dia={day}")
        expect(page.get_by_text(f"Marta {window.name}").first).to_be_visible()
        window.look(f"calendario-{view}")
    page.get_by_role("link", name="Mías").click()
    expect(page.get_by_text(f"Marta {window.name}").first).to_be_visible()
    # An hour that somebody has already: told, and taken all the same.
    other = home.api("/api/leads", {**lead.PERSON, "nombre": "Pepe Gil", "email": f"pepe.{window.name}@ejemplo.es"})["id"]
    page.goto(f"{home.url}/panel/leads/{other}/visitas")
    page.get_by_label("Cuándo").fill(when)
    page.get_by_role("button", name="Fijar la visita").click()
    expect(page.get_by_text("Hay otra visita").first).to_be_visible()
    window.look("visita-choque")
    page.get_by_label("Lo sé: fijarla").check()
    page.get_by_role("button", name="Fijar la visita").click()
    expect(page.get_by_text("Visita preparada.")).to_be_visible()
    page.get_by_text("Cancelar la visita").click()
    page.get_by_role("button", name="Sí, cancelarla").click()
    expect(page.get_by_text("Visita cancelada.")).to_be_visible()
    expect(page.get_by_text("La canceló Luis Pérez, ")).to_be_visible()
    window.look("visita-cancelada")
    page.goto(f"{home.url}/panel/visitas?vista=lista&dia={day}")
    expect(page.get_by_text("La canceló Luis Pérez, ").first).to_be_visible()
    page.goto(f"{home.url}/panel/leads/{other}")
    expect(page.get_by_text("cancelada por Luis Pérez; era").first).to_be_visible()
    page.goto(window.visit)


def from_the_calendar(window, home):
    """«Nueva visita», the lead by a few letters, and the form that has the day and the address."""
    page = window.page
    someone = {**lead.PERSON, "nombre": f"Xenia {window.name}", "email": f"xenia.{window.name}@ejemplo.es", "direccion": "Calle del Pez 3", "provincia": "Madrid"}
    home.api("/api/leads", someone)
    page.goto(f"{home.url}/panel/visitas")
    page.get_by_role("link", name="Nueva visita", exact=True).click()
    expect(page.get_by_role("heading", name="Nueva visita")).to_be_visible()
    window.look("visita-elegir")
    day = (datetime.now() + timedelta(days=9)).strftime("%Y-%m-%d")
    page.goto(f"{home.url}/panel/visitas/nueva?dia={day}")
    found = page.locator(".candidato", has_text=f"Xenia {window.name}")
    # A busy machine takes its time to list somebody who is new.
    end = time.monotonic() + 120
    while True:
        box = page.get_by_role("searchbox")
        if window.with_js:
            box.fill("")
            box.press_sequentially(f"xenia {window.name[:6]}")
        else:
            box.fill(f"xenia {window.name}")
            page.get_by_role("button", name="Buscar").click()
        try:
            expect(found).to_have_count(1, timeout=5_000)
            break
        except AssertionError:
            assert time.monotonic() < end, "nobody is found"
    expect(page.locator(".candidato").filter(has_not_text="Xenia")).to_have_count(0)
    window.look("visita-elegido")
    found.click()
    expect(page.get_by_label("Dónde")).to_have_value("Calle del Pez 3, Madrid")
    assert page.get_by_label("Cuándo").input_value().startswith(day)
    window.look("visita-con-dia")
    if not window.touch:
        # The same from a day of the month.
        page.goto(f"{home.url}/panel/visitas?vista=mes&dia={day}")
        page.locator(f"a[href='/panel/visitas/nueva?dia={day}']").click()
        expect(page.get_by_role("searchbox")).to_be_visible()
    page.goto(window.visit)


def works(window, home):
    """Accepted work lies as a bar over its days, and leads to its lead."""
    page = window.page
    known = {"tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid"}
    for n, (start, days) in enumerate([(1, 18), (3, 5)]):
        someone = {**known, "nombre": f"Obra{n} {window.name}", "telefono": "634 56 78 91", "email": f"obra{n}.{window.name}@ejemplo.es"}
        new, address = home.quote(someone, [])
        # As the client, from elsewhere: a browser that is signed in to the panel answers nothing for them.
        answer = urllib.parse.urlencode({"acepto": "si", "declaro": "si"}).encode()
        assert urllib.request.urlopen(f"{address}/aceptar", answer, timeout=30).status == 200
        page.goto(f"{home.url}/panel/leads/{new}?abrir=trabajo#trabajo")
        page.get_by_label("Empieza el").fill((datetime.now() + timedelta(days=start)).strftime("%Y-%m-%d"))
        page.get_by_label("Días que dura").fill(str(days))
        if n == 0:
            window.look("obra-planificar")
        page.locator("#trabajo").get_by_role("button", name="Guardar").click()
        expect(page.get_by_text("Apuntado cómo va la obra.")).to_be_visible()
    day = (datetime.now() + timedelta(days=4)).strftime("%Y-%m-%d")
    for view in ("mes", "semana", "lista"):
        page.goto(f"{home.url}/panel/visitas?vista={view}&dia={day if view != 'lista' else datetime.now().strftime('%Y-%m-%d')}")
        bar = page.locator(".obra", has_text=f"Obra0 {window.name}").first
        expect(bar).to_be_visible()
        window.look(f"calendario-obras-{view}")
        if view == "semana" and not window.touch:
            cell = page.locator(".dia").first.bounding_box()["width"]
            wide = max(box.bounding_box()["width"] for box in page.locator(".obra").all())
            assert wide > 2.5 * cell, (wide, cell)
    bar.click()
    expect(page.get_by_role("heading", name=f"Obra0 {window.name}")).to_be_visible()
    page.goto(window.visit)


def data(window):
    page = window.page
    page.get_by_text("Cambiar los datos").click()
    page.get_by_label("Cuánto dura (minutos)").fill("0")
    page.get_by_role("button", name="Guardar los datos").click()
    expect(page.get_by_text("Escribe los minutos, de 15 a 480.").first).to_be_visible()
    window.look("visita-datos-mal")
    page.get_by_label("Cuánto dura (minutos)").fill("45")
    page.get_by_role("button", name="Guardar los datos").click()
    expect(page.get_by_text("Datos guardados.")).to_be_visible()
    page.get_by_label("Superficie (m²)").fill("7,25")
    page.get_by_label("Medidas y notas").fill("Ancho 1,65. Ventana a 1,10 del suelo.")
    page.get_by_role("button", name="Guardar lo medido").click()
    expect(page.get_by_text("Lo medido está en el lead.")).to_be_visible()


def settings(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/visitas/ajustes")
    window.look("visitas-ajustes")
    page.get_by_label("El cliente cambia o cancela hasta").fill("12")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    page.goto(f"{home.url}/panel/cuenta")
    page.get_by_label("Sábado").fill("por la mañana")
    page.get_by_role("button", name="Guardar el horario").click()
    expect(page.get_by_text("Escribe las horas así").first).to_be_visible()
    window.look("agenda-mal")
    page.get_by_label("Sábado").fill("10:00-13:00")
    page.get_by_role("button", name="Guardar el horario").click()
    expect(page.get_by_text("Horario guardado.")).to_be_visible()


def feed(window, home):
    """Two strict readers find the visit in the calendar."""
    page = window.page
    page.get_by_role("button", name="Hacer").click()
    address = page.locator("code").first.inner_text()
    window.look("calendario-direccion")
    # The server names the address that the browser came by, over https where it cannot tell.
    path = "/calendario/" + address.split("/calendario/")[1]
    body = urllib.request.urlopen(home.url + path, timeout=30).read()
    events = icalendar.Calendar.from_ical(body).walk("VEVENT")
    mine = [e for e in events if f"Marta {window.name}" in str(e["SUMMARY"])]
    assert len(mine) == 1 and mine[0]["STATUS"] == "CONFIRMED", body
    assert int(mine[0]["SEQUENCE"]) >= 2, body
    assert mine[0].decoded("DTEND") - mine[0].decoded("DTSTART") == timedelta(minutes=45), body
    read = vobject.readOne(io.StringIO(body.decode()))
    read.validate(raiseException=True)
    assert any(isinstance(e.dtstart.value, datetime) for e in read.vevent_list), body
    page.goto(window.visit)


def cancel(window):
    page = window.page
    page.goto(window.visit)
    page.get_by_text("Cancelar la visita").click()
    page.get_by_role("button", name="Sí, cancelarla").click()
    expect(page.get_by_text("Visita cancelada.")).to_be_visible()
