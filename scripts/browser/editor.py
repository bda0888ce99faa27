"""A quote that waits for a person: the form drafts it, the mail leads to it, lines are corrected, it goes in two taps, and its client takes an option.
And one that two people write at once."""

import re

from avisos import fill_in, leave
from mails import Mailbox
from playwright.sync_api import expect
from server import Server
from window import VIEWS, Window, enter, person, sign_in

WHO = "marta@reformasalba.example"
OTHER = "eva@reformasalba.example"
COMPANY = "obra@reformasalba.example"


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    mailbox = Mailbox()
    home = Server(receiver, **mailbox.settings("hola@reformasalba.example"))
    try:
        person(home, WHO, "Marta Ruiz", "--administrador")
        home.send("empresa", "set", "mi-empresa", "--notices-to", COMPANY, "--notices", "true")
        for n, (screen, with_js) in enumerate([
            ("movil", True),
            ("mesa", True),
            ("movil", False),
            ("mesa", False),
        ]):
            client = f"Berta Soler {'ABCD'[n]}"
            fill_in(browser, home, client)
            letter = mailbox.wait(COMPANY, f"Presupuesto por revisar: {client}")
            link = re.search(r'href="([^"]*/panel/presupuestos/[^"]*)"', letter.get_body(("html",)).get_content()).group(1)
            window = Window(browser, home, screen, with_js, screenshots)
            window.page.goto(link)
            enter(window, WHO)
            edit(window)
            if n == 0:
                identity(window, home, link)
            send(window)
            quote = window.page.url.split("?")[0]
            after(window, home)
            total = read(browser, home, mailbox, n + 1, screen, with_js, screenshots)
            taken(window, mailbox, quote, client, total)
            leave(window)
            yield window.name
        person(home, OTHER, "Eva Roca", "--administrador")
        for n, (screen, with_js) in enumerate([*VIEWS, ("mesa", False)]):
            yield together(browser, home, f"Nuria Gil {'ABCD'[n]}", screen, with_js, screenshots)
    finally:
        home.close()


def edit(window):
    page = window.page
    expect(page.get_by_role("heading", level=1)).to_contain_text("Presupuesto de Berta Soler")
    window.look("editor")
    lines = page.locator(".partida")
    if window.with_js:
        figures(window, lines.nth(0))
    lines.nth(0).locator("input[name$='.precio']").fill("1.234,56")
    lines.nth(1).locator("input[name$='.cantidad']").fill("12,5")
    if window.with_js:
        # It saves by itself, and the amount of the whole follows.
        expect(lines.nth(0).locator(".partida-importe")).to_contain_text("1.234,56")
        expect(state(window)).to_contain_text("Guardado")
        assert page.locator("#cuentas").get_attribute("data-revision") == page.locator("input[name=revision]").input_value()
    else:
        page.locator(".editor-final button[value=guardar]").click()
        expect(page.get_by_text("Guardado.", exact=True)).to_be_visible()
    expect(page.locator(".partida").nth(0).locator("input[name$='.precio']")).to_have_value(re.compile(r"1\.234,56"))
    # A line of the table by a part of its name, and a line of one's own.
    box = page.locator("input[name='tabla.1']")
    box.fill("zzz")
    page.locator("button[value='tabla.1']").click()
    expect(page.get_by_text("No hay ninguna así en tu tarifa").first).to_be_visible()
    window.look("editor-mal")
    page.locator("button[value='linea.1.0']").click()
    page.locator("textarea[name$='.concepto']:empty").fill("Nicho de obra en la ducha")
    # A line that the client may take or leave, and the word that it holds.
    optional = page.locator(".partida").nth(2)
    optional.locator("summary").click()
    optional.get_by_label("Opcional: el cliente la elige").check()
    page.get_by_label("Carácter").select_option("vinculante")
    page.get_by_label("Duración").fill("tres semanas")
    page.get_by_label("Dirección de la obra").fill("Calle del Sol 3, Madrid")
    page.locator("button[value='pago']").click()
    expect(page.locator(".pago")).to_have_count(1)
    expect(page.locator("textarea[name$='.concepto']").filter(has_text="Nicho de obra en la ducha")).to_have_count(1)
    page.locator(".partida").nth(0).locator("summary").click()
    window.look("editor-abierto")
    if window.with_js:
        sample = page.context.request.get(page.url.split("#")[0].split("?")[0] + "/pdf")
        assert sample.status == 200 and sample.body().startswith(b"%PDF"), sample.status


def state(window):
    """Where a person sees whether it is saved: in the bar of a phone, beside the sums on a desk."""
    return window.page.locator(".editor-barra .editor-estado" if window.touch else "#cuentas .editor-estado")


def figures(window, line):
    """Every figure follows what is typed, and the page says whether it is saved, also without a connection."""
    page = window.page
    total = page.locator("#cuentas .cuentas-total dd").inner_text()
    chapter = page.locator(".capitulo-suma .dinero").first.inner_text()
    line.locator("input[name$='.cantidad']").fill("1")
    line.locator("input[name$='.precio']").fill("2.000")
    expect(line.locator(".partida-importe")).to_contain_text("2.000,00\xa0€")
    expect(page.locator(".capitulo-suma .dinero").first).not_to_have_text(chapter)
    expect(page.locator("#cuentas .cuentas-total dd")).not_to_have_text(total)
    expect(page.locator("[data-total-barra]")).to_have_text(page.locator("#cuentas .cuentas-total dd").inner_text())
    expect(state(window)).to_contain_text("Guardado")
    page.context.set_offline(True)
    line.locator("input[name$='.precio']").fill("2.100")
    expect(state(window)).to_contain_text("Sin conexión")
    expect(state(window)).to_be_in_viewport()
    window.look("editor-sin-conexion")
    page.context.set_offline(False)
    expect(line.locator(".partida-importe")).to_contain_text("2.100,00\xa0€", timeout=15_000)
    expect(state(window)).to_contain_text("Guardado")
    expect(state(window)).to_be_in_viewport()


def identity(window, home, link):
    """Who offers it must be known first."""
    page = window.page
    press(window)
    expect(page.get_by_text("Antes falta algo de tu empresa")).to_be_visible()
    window.look("editor-falta")
    page.get_by_role("link", name="Rellenar los datos").click()
    page.get_by_label("Nombre", exact=True).fill("Reformas Alba")
    page.get_by_label("NIF").fill("B12345674")
    page.get_by_label("Dirección").fill("Calle Mayor 1, 28013 Madrid")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    page.goto(link)


def press(window):
    place = ".editor-barra" if window.touch else ".editor-lado"
    window.page.locator(f"{place} button[value=enviar]").click()


def send(window):
    page = window.page
    press(window)
    expect(page.get_by_role("heading", name="Cómo llega")).to_be_visible()
    window.look("editor-enviar")
    page.get_by_role("button", name="Enviar presupuesto").click()
    expect(page.get_by_text("Enviado. Abajo se ve cómo llega.")).to_be_visible()
    window.look("editor-enviado")


def after(window, home):
    page = window.page
    assert page.get_by_role("link", name="Abrir WhatsApp").get_attribute("href").startswith("https://wa.me/34612345678?text=")
    page.get_by_role("button", name="Marcar como entregado a mano").click()
    expect(page.get_by_text("Apuntado: entregado a mano.")).to_be_visible()
    page.goto(f"{home.url}/panel/presupuestos?estado=enviados")
    expect(page.locator(".presupuesto-fila").first).to_be_visible()
    window.look("presupuestos")
    page.goto(f"{home.url}/panel/empresa/presupuestos")
    expect(page.get_by_label("Revisar antes de enviar")).to_be_visible()
    window.look("empresa-presupuestos")


def read(browser, home, mailbox, sent, screen, with_js, screenshots):
    """The client's mail and page."""
    letter = mailbox.wait("berta@cliente.example", "Tu presupuesto", sent)
    link = re.search(r'href="([^"]*/p/[^"]*)"', letter.get_body(("html",)).get_content()).group(1)
    client = Window(browser, home, screen, with_js, screenshots)
    client.page.goto(link)
    expect(client.page.get_by_text("Nicho de obra en la ducha").first).to_be_visible()
    total = choose(client)
    client.close()
    return total


def choose(client):
    """An option is ticked, the total follows, and the quote is accepted with it; the total that was agreed."""
    page = client.page
    boxes = page.locator("input[name=opcion]")
    expect(boxes).to_have_count(1)
    before = page.locator("#s-total").inner_text()
    accept = page.get_by_role("button", name="Aceptar el presupuesto")
    page.locator(".legal summary").first.click()
    client.look("editor-cliente")
    boxes.first.check()
    if client.with_js:
        expect(page.locator("#s-total")).not_to_have_text(before)
    else:
        # A client who does not ask for the total first is shown it before anything is agreed.
        page.get_by_role("checkbox", name="He leído y acepto").check()
        page.get_by_role("checkbox", name="Declaro").check()
        accept.click()
        expect(page.get_by_text("El total cambia a")).to_be_visible()
        client.look("editor-cliente-cambia")
        page.get_by_role("button", name="Actualizar total").click()
        expect(boxes.first).to_be_checked()
    total = page.locator("#s-total").inner_text()
    assert total != before, total
    for place in ["#s-respuesta", "#s-opciones", "#s-barra", "#s-pagos .cuentas-total dd", "#s-cuentas .cuentas-total dd"]:
        expect(page.locator(place)).to_have_text(total)
    client.look("editor-cliente-opcion")
    page.get_by_role("checkbox", name="He leído y acepto").check()
    page.get_by_role("checkbox", name="Declaro").check()
    expect(page.get_by_role("checkbox", name="Pido que la obra empiece")).not_to_be_checked()
    accept.click()
    expect(page.locator("#resultado")).to_contain_text("Opción elegida")
    expect(page.locator("#resultado")).to_contain_text(total)
    client.look("editor-cliente-aceptado")
    return total


def taken(window, mailbox, quote, client, total):
    """The company is told what was agreed, sees it, and says how the work goes."""
    page = window.page
    page.goto(quote)
    number = page.get_by_role("heading", level=1).inner_text()
    letter = mailbox.wait(COMPANY, f"{number} aceptado: {client}").get_body(("plain",)).get_content()
    assert total.replace("\xa0", " ") in letter.replace("\xa0", " "), letter
    expect(page.get_by_role("heading", name="Lo que ha aceptado")).to_be_visible()
    expect(page.locator("section[aria-labelledby=aceptado]")).to_contain_text(total)
    window.look("editor-aceptado")
    page.locator(".miga a").click()
    page.locator(".lead-menu > summary").click()
    page.get_by_text("Cómo va la obra").click()
    page.locator("#progreso").select_option("en_obra")
    page.locator("#inicio").fill("2026-12-01")
    window.look("obra")
    page.locator("form[action$='/obra'] button").first.click()
    expect(page.get_by_text("Apuntado cómo va la obra.")).to_be_visible()
    expect(page.get_by_text("En obra", exact=True).first).to_be_visible()
    window.look("obra-en-marcha")


LONG = "Suministro y colocación de alicatado porcelánico rectificado de gran formato, con junta mínima, ingletes en esquinas y remate de ventana incluidos"


def together(browser, home, client, screen, with_js, screenshots):
    """A long quote that two people have open: names, folds, the list of the price table, and what both change."""
    lead = home.api("/api/leads", {"nombre": client, "telefono": "612345678", "email": "nuria@cliente.example", "tipoReforma": "integral", "m2Suelo": 80, "provincia": "Madrid"})["id"]
    window = Window(browser, home, screen, with_js, screenshots)
    other = Window(browser, home, "mesa", with_js)
    sign_in(window, home, WHO)
    sign_in(other, home, OTHER)
    begun = window.context.request.post(f"{home.url}/panel/leads/{lead}/presupuestos", form={"desde": "ultimo"}, headers={"origin": home.url})
    window.page.goto(begun.url.split("?")[0])
    whole_names(window)
    if with_js:
        fold(window)
        choose_item(window)
    other.page.goto(window.page.url.split("#")[0].split("?")[0])
    if with_js:
        join(window, other)
    collide(window, other)
    for each in (window, other):
        # A refusal that the module shows is no error.
        each.errors = [error for error in each.errors if not error.startswith(("409 ", "422 "))]
        leave(each)
    return f"dos-{window.name}"


def part(window, line, name):
    return window.page.locator(".partida").nth(line).locator(f"[name$='.{name}']").first


def store(window):
    """Saves what was typed: by itself, or with the button."""
    if window.with_js:
        expect(state(window)).to_contain_text("Guardado")
    else:
        window.page.locator(".editor-final button[value=guardar]").click()


def whole_names(window):
    """No name is cut, however long."""
    page = window.page
    part(window, 0, "concepto").fill(LONG)
    store(window)
    page.reload()
    expect(part(window, 0, "concepto")).to_have_value(LONG)
    cut = page.locator("textarea[name$='.concepto']").evaluate_all("all => all.filter((a) => a.scrollHeight > a.clientHeight + 1 || a.scrollWidth > a.clientWidth + 1).map((a) => a.value)")
    assert cut == [], cut
    window.look("editor-largo")


def fold(window):
    """A folded chapter shows its sum, stays folded after a save, and opens where something is wrong."""
    page = window.page
    chapters = page.locator(".capitulo-caja")
    first = chapters.first
    for chapter in chapters.all():
        chapter.locator(".capitulo-cabeza").click()
    expect(first.locator(".partida").first).to_be_hidden()
    expect(first.locator(".capitulo-suma")).to_be_visible()
    window.look("editor-plegado")
    page.locator(".editor-final button[value=guardar]").click()
    expect(page.get_by_text("Guardado.", exact=True)).to_be_visible()
    expect(first.locator(".partida").first).to_be_hidden()
    price = part(window, 0, "precio")
    before = price.input_value()
    price.evaluate("(box) => { box.value = 'doce'; box.dispatchEvent(new Event('input', { bubbles: true })); }")
    expect(price).to_be_visible()
    expect(first.locator(".error")).to_contain_text("No es un número")
    price.fill(before)
    store(window)
    # What is added opens its chapter too.
    page.locator(".capitulo-caja").last.locator(".capitulo-cabeza").click()
    page.locator(".capitulo-caja").last.locator(".capitulo-pie button").click()
    expect(page.locator("textarea[name$='.concepto']:empty")).to_be_visible()
    page.locator("textarea[name$='.concepto']:empty").fill("Ayudas de albañilería")
    store(window)
    folded = page.locator(".capitulo-caja:not([open]) > .capitulo-cabeza")
    while folded.count() > 0:
        folded.first.click()


def choose_item(window):
    """The list narrows while somebody types, in any case and without accents; keys or a finger choose."""
    page = window.page
    box, shown = page.get_by_role("combobox", name="Añadir de tu tarifa"), page.locator(".buscador:not([hidden]) [role=option]")
    count = page.locator(".partida").count()
    box.click()
    everything = shown.count()
    box.press_sequentially("PUERTA")
    expect(shown.first).to_be_visible()
    assert 0 < shown.count() < everything, shown.count()
    expect(shown.first.locator(".dinero")).to_contain_text("€")
    window.look("editor-lista")
    box.press("Escape")
    expect(shown).to_have_count(0)
    expect(box).to_have_value("PUERTA")
    box.press("ArrowDown")
    name = shown.first.locator("span").first.inner_text()
    if window.touch:
        shown.first.tap()
    else:
        expect(shown.first).to_have_attribute("aria-selected", "true")
        box.press("Enter")
    expect(box).to_have_value(name)
    expect(shown).to_have_count(0)
    if window.touch:
        page.locator("button[value='tabla.1']").tap()
    else:
        box.press("Enter")
    expect(page.locator(".partida")).to_have_count(count + 1)
    box.fill("zzz")
    expect(page.get_by_text("Nada así en tu tarifa")).to_be_visible()
    box.press("Enter")
    expect(page.locator("[id='tabla.1-error']")).to_contain_text("No hay ninguna así en tu tarifa")
    expect(box).to_be_focused()
    box.fill("")


def join(window, other):
    """What two people change in different places goes together, and the form that is open shows it."""
    part(other, 0, "precio").fill("100")
    part(other, 1, "concepto").fill("Lo que Eva escribe")
    store(other)
    part(window, 0, "cantidad").fill("3")
    expect(state(window)).to_contain_text("junto con lo que otra persona")
    expect(part(window, 0, "cantidad")).to_be_focused()
    expect(part(window, 0, "precio")).to_have_value("100")
    expect(part(window, 1, "concepto")).to_have_value("Lo que Eva escribe")
    expect(window.page.locator(".partida").nth(0).locator(".partida-importe")).to_contain_text("300,00")
    other.page.reload()


def collide(window, other):
    """What both change is asked, and nothing else."""
    page = window.page
    window.page.reload()
    for price, who in (("200", other), ("300", window)):
        part(who, 0, "precio").fill(price)
        part(who, 2, "concepto").fill(f"De {price}")
        if who is other:
            part(who, 3, "cantidad").fill("12")
            store(who)
    if window.with_js:
        expect(state(window)).to_contain_text("otra persona ha cambiado lo mismo")
    page.locator(".editor-final button[value=guardar]").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Los dos habéis cambiado lo mismo")
    expect(page.locator(".pregunta")).to_have_count(2)
    window.look("editor-dos-versiones")
    page.locator(".pregunta").nth(0).get_by_label("Lo tuyo").check()
    page.locator(".pregunta").nth(1).get_by_label("Eva Roca").check()
    page.get_by_role("button", name="Guardar lo elegido").click()
    expect(page.get_by_text("Guardado").first).to_be_visible()
    expect(part(window, 0, "precio")).to_have_value("300")
    expect(part(window, 2, "concepto")).to_have_value("De 200")
    expect(part(window, 3, "cantidad")).to_have_value("12")
