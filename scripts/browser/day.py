"""The owner's whole day on a phone, from an empty folder: set-up, a form with photos, the notice, the draft, two edits, the quote sent
as binding, the client who takes an option and accepts, the mail with its PDF, a visit chosen and moved, a reply by mail and one by
messaging. Every amount on every page is compared with the API, with the mail and with the PDF."""

import re
import subprocess
import tempfile
import time
from pathlib import Path

import form
from avisos import leave
from mails import Mailbox
from playwright.sync_api import expect
from server import Server
from window import PASSWORD, Window, enter

OWNER = "marta@reformasalba.example"
COMPANY = "obra@reformasalba.example"
MINE = "hola@reformasalba.example"
CLIENT = "ana@cliente.example"
NAME = "Ana García"
AMOUNT = re.compile(r"-?\d{1,3}(?:\.\d{3})*,\d\d(?=\s€)")


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    mailbox = Mailbox()
    home = Server(receiver, **mailbox.settings(MINE))
    try:
        owner = Window(browser, home, "movil", True, screenshots)
        set_up(owner, home)
        yield "puesta en marcha"
        ask(browser, home, screenshots)
        change_answers(browser, home, mailbox, screenshots)
        lead = home.api("/api/leads?limite=1")["leads"][0]["id"]
        link = notice(mailbox, home, lead)
        yield "formulario y aviso"
        expected = edit(owner, home, link)
        yield "borrador"
        number, option = send(owner, home, lead, expected)
        yield "enviado"
        client = Window(browser, home, "movil", True, screenshots)
        agreed = accept(client, home, lead, mailbox, option)
        agree(owner, home, lead, agreed, "aceptados")
        yield "aceptado"
        letter(mailbox, home, lead, number, agreed, screenshots)
        yield "correo con su PDF"
        visit(owner, client, home, lead, mailbox)
        client.close()
        yield "visita elegida y movida"
        replies(owner, home, lead, mailbox, receiver)
        yield "respuestas"
        leave(owner)
        look_around(browser, home, lead, number, screenshots)
        yield "las páginas, grandes y pequeñas, de día y de noche"
    finally:
        home.close()


def cents(text):
    """«1.234,56» as cents."""
    return int(text.replace(".", "").replace(",", ""))


def amounts(text):
    return [cents(found) for found in AMOUNT.findall(text.replace("\xa0", " ").replace("\u202f", " "))]


def shown(place):
    """The one amount that a part of the page shows."""
    found = amounts(place.inner_text())
    assert len(found) == 1, (found, place.inner_text())
    return found[0]


def set_up(window, home):
    page = window.page
    page.goto((Path(home.folder.name) / "data/panel-setup").read_text().strip())
    page.get_by_label("Tu nombre").fill("Marta Ruiz")
    page.get_by_label("Correo").fill(OWNER)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Crear la cuenta").click()
    expect(page.get_by_role("heading", name="Bandeja", exact=True)).to_be_visible()
    window.look("dia-01-bandeja-vacia")
    page.goto(f"{home.url}/panel/empresa/datos")
    page.get_by_label("Nombre", exact=True).fill("Reformas Alba")
    page.get_by_label("NIF").fill("B12345674")
    page.get_by_label("Dirección").fill("Calle Mayor 1, 28013 Madrid")
    page.get_by_label("Teléfono").fill("910 000 000")
    page.get_by_label("Correo para clientes").fill(MINE)
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    page.goto(f"{home.url}/panel/empresa/avisos")
    page.get_by_label("Correo de avisos").fill(COMPANY)
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Avisos guardados.")).to_be_visible()


def ask(browser, home, screenshots):
    """The client's form with two photos."""
    window = Window(browser, home, "movil", True, screenshots)
    page = window.page
    go_on = lambda: page.get_by_role("button", name="Continuar").click()
    page.goto(f"{home.url}/")
    page.get_by_role("button", name="Baño").click()
    page.get_by_label("Superficie del suelo").fill("6,5")
    go_on()
    seen = time.monotonic()
    page.get_by_label("Nombre").fill(NAME)
    page.get_by_label("Teléfono").fill("612 34 56 78")
    page.get_by_label("Correo electrónico").fill(CLIENT)
    page.get_by_label("Provincia").select_option("Madrid")
    time.sleep(max(0.0, form.HURRY_S - (time.monotonic() - seen)))
    go_on()
    page.get_by_role("radio", name="Media Porcelánico").check()
    go_on()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sobre la vivienda")
    go_on()
    with tempfile.TemporaryDirectory() as folder:
        room = page.locator('.zona-fotos[data-zona="bano"]')
        room.locator("input[multiple]").set_input_files([form.foto(folder, "a.jpg"), form.foto(folder, "b.jpg", 6)])
        expect(room.locator(".miniatura[data-id]")).to_have_count(2)
        go_on()
        expect(page.locator(".carta")).to_contain_text("2 fotos")
    window.look("dia-02-formulario")
    page.get_by_role("button", name="Enviar mi solicitud").click()
    expect(page.locator("main")).to_contain_text("revisa tu presupuesto y te lo envía a")
    expect(page.locator("main")).to_contain_text("un enlace para cambiar tus respuestas")
    window.look("dia-02-enviado")
    window.close()


def change_answers(browser, home, mailbox, screenshots):
    """The client gets a mail with a link, adds something, and the lead has it."""
    letter = mailbox.wait(CLIENT, "Hemos recibido tu solicitud")
    link = re.search(r"https?://\S+/resumen", letter.get_body(("plain",)).get_content()).group(0)
    window = Window(browser, home, "movil", True, screenshots)
    page = window.page
    page.goto(link)
    expect(page.locator("main")).to_contain_text("Ya nos la enviaste")
    page.get_by_role("link", name="los acabados").click()
    page.get_by_label("¿Cómo te lo imaginas?").fill("Con ducha grande")
    page.get_by_role("button", name="Continuar").click()
    expect(page.locator(".carta")).to_contain_text("Con ducha grande")
    window.look("dia-02-cambiado")
    window.close()
    lead = home.api("/api/leads?limite=1")["leads"][0]["id"]
    assert home.api(f"/api/leads/{lead}")["tasteText"] == "Con ducha grande"


def notice(mailbox, home, lead):
    """The company's mail about it leads to the draft, and names what the API says."""
    letter = mailbox.wait(COMPANY, f"Presupuesto por revisar: {NAME}")
    record = home.api(f"/api/leads/{lead}")
    assert record["m2Suelo"] == 6.5 and record["obra"]["m2Estimado"] == 6.5 and len(record["fotos"]) == 2, record
    assert record["presupuestos"] == [], record["presupuestos"]
    return re.search(r'href="([^"]*/panel/presupuestos/[^"]*)"', letter.get_body(("html",)).get_content()).group(1)


def figures(page):
    """Every figure of the editor follows from the others: lines, chapters, base, tax and total. The total in cents."""
    chapters = 0
    for chapter in page.locator(".capitulo-caja").all():
        total = 0
        for line in chapter.locator(".partida").all():
            value = lambda name: line.locator(f"[name$='.{name}']").first.input_value().replace(".", "").replace(",", ".")
            amount = shown(line.locator(".partida-importe"))
            expected = round(float(value("cantidad")) * float(value("precio")) * 100 + 1e-6)
            assert abs(amount - expected) <= 1, (amount, expected, line.inner_text())
            if not line.locator("input[type=checkbox][name$='.opcional']").is_checked():
                total += amount
        assert total == shown(chapter.locator(".capitulo-suma")), (total, chapter.locator(".capitulo-suma").inner_text())
        chapters += total
    return chapters


def sums(page):
    """Base, tax and total as the editor adds them up."""
    rows = {row.locator("dt").inner_text().split(" ")[0]: amounts(row.locator("dd").inner_text()) for row in page.locator("#cuentas .cuentas-lista > div").all()}
    return rows


def edit(window, home, link):
    """The draft is orientative and says why. Two edits and an option; the total that is sent."""
    page = window.page
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Presupuesto de {NAME}")
    expect(page.locator("#cuentas")).to_contain_text("orientativo")
    window.look("dia-03-borrador")
    lines = page.locator(".partida")
    saved = page.locator(".editor-barra .editor-estado")
    lines.nth(0).locator("input[name$='.precio']").fill("1.234,56")
    expect(lines.nth(0).locator(".partida-importe")).to_contain_text("1.234,56" if lines.nth(0).locator("input[name$='.cantidad']").input_value() == "1" else ",")
    expect(saved).to_contain_text("Guardado")
    lines.nth(1).locator("input[name$='.cantidad']").fill("12,5")
    expect(saved).to_contain_text("Guardado")
    option = lines.nth(2)
    option.locator("summary").click()
    option.get_by_label("Opcional: el cliente la elige").check()
    expect(page.locator("#cuentas .cuentas-opcion")).to_have_count(1)
    for percentage, moment in [("40", "al empezar"), ("60", "al terminar")]:
        page.locator("button[value='pago']").click()
        last = page.locator(".pago").last
        last.locator("input").nth(0).fill(percentage)
        last.locator("input").nth(1).fill(moment)
    expect(saved).to_contain_text("Guardado")
    page.reload()
    base = figures(page)
    rows = sums(page)
    assert rows["Base"] == [base], (rows, base)
    window.look("dia-04-editor")
    return base


def send(window, home, lead, base):
    """Measured by the person who sends it: one tick makes it binding. Its number."""
    page = window.page
    page.locator(".editor-barra button[value=enviar]").click()
    expect(page.get_by_role("heading", name="Cómo llega")).to_be_visible()
    window.look("dia-05-enviar")
    option = shown(page.locator(".cuentas-opcion .dinero"))
    page.get_by_label("He comprobado las medidas").check()
    page.get_by_role("button", name="Enviar presupuesto").click()
    expect(page.get_by_text("Enviado. Abajo se ve cómo llega.")).to_be_visible()
    # The page follows the delivery by itself.
    expect(page.locator("#entregas")).to_contain_text("Correo: entregado")
    window.look("dia-06-enviado")
    (quote,) = home.api(f"/api/leads/{lead}")["presupuestos"]
    assert quote["numero"] == page.get_by_role("heading", level=1).inner_text().split()[-1], quote
    assert quote["totalCents"] in amounts(page.locator("main").inner_text()), quote
    assert quote["totalCents"] - base == round(base * 0.1) or quote["totalCents"] - base == round(base * 0.21), (quote, base)
    agree(window, home, lead, quote["totalCents"], "enviados")
    return quote["numero"], option


def agree(window, home, lead, total, state):
    """Every page that names an amount of this lead names this one."""
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    assert shown(page.locator(".lead-importe")) == total, page.locator(".lead-importe").inner_text()
    window.look(f"dia-lead-{total}")
    page.goto(f"{home.url}/panel/leads/{lead}?parte=presupuesto")
    assert total in amounts(page.locator(".parte-presupuesto .fila").inner_text()), page.locator(".parte-presupuesto").inner_text()
    page.goto(f"{home.url}/panel/presupuestos?estado={state}")
    assert total in amounts(page.locator(".presupuesto-fila").first.inner_text())
    window.look(f"dia-presupuestos-{total}")


def accept(client, home, lead, mailbox, option):
    """The client's page: the option is ticked, every sum follows, and what is accepted is what the API says. The total."""
    page = client.page
    sent = mailbox.wait(CLIENT, "Tu presupuesto")
    html = sent.get_body(("html",)).get_content()
    (quote,) = home.api(f"/api/leads/{lead}")["presupuestos"]
    assert set(amounts(sent.get_body(("plain",)).get_content())) == {quote["totalCents"]}, sent.get_body(("plain",)).get_content()
    page.goto(re.search(r'href="([^"]*/p/[^"]*)"', html).group(1))
    assert shown(page.locator("#s-total")) == quote["totalCents"]
    client.look("dia-07-cliente")
    adds = shown(page.locator("#s-opcion-1"))
    assert adds == option, (adds, option)
    page.locator("input[name=opcion]").check()
    agreed = quote["totalCents"] + adds
    for place in ["#s-total", "#s-respuesta", "#s-opciones", "#s-barra", "#s-pagos .cuentas-total dd", "#s-cuentas .cuentas-total dd"]:
        expect(page.locator(place)).to_contain_text(format_cents(agreed))
    payments = [shown(row) for row in page.locator("#s-pagos .cuentas-lista > div:not(.cuentas-total) dd.dinero, #s-pagos dd.dinero").all()]
    assert sum(payments) in (agreed, 2 * agreed), (payments, agreed)
    client.look("dia-08-opcion")
    page.get_by_role("checkbox", name="He leído y acepto").check()
    page.get_by_role("checkbox", name="Declaro").check()
    page.get_by_role("button", name="Aceptar el presupuesto").click()
    expect(page.locator("#resultado")).to_contain_text(format_cents(agreed))
    client.look("dia-09-aceptado")
    (quote,) = home.api(f"/api/leads/{lead}")["presupuestos"]
    assert quote["aceptacion"]["totalCents"] == agreed and len(quote["aceptacion"]["opciones"]) == 1, quote
    assert quote["aceptacion"]["porTelefono"] is False, quote
    return agreed


def format_cents(total):
    return f"{total // 100:,}".replace(",", ".") + f",{total % 100:02}"


def letter(mailbox, home, lead, number, agreed, screenshots):
    """The client's mail says what was agreed, and its PDF is exactly that."""
    mail = mailbox.wait(CLIENT, "Has aceptado")
    assert agreed in amounts(mail.get_body(("plain",)).get_content()), mail.get_body(("plain",)).get_content()
    assert mail["reply-to"] and MINE in mail["reply-to"], mail["reply-to"]
    (pdf,) = [part for part in mail.iter_attachments() if part.get_content_type() == "application/pdf"]
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(pdf.get_content())
        file.flush()
        text = subprocess.run(["pdftotext", "-layout", file.name, "-"], check=True, capture_output=True, text=True).stdout
        if screenshots:
            subprocess.run(["pdftoppm", "-r", "70", "-png", file.name, f"{screenshots}/dia-aceptado"], check=True)
    assert number in text and agreed in amounts(text), text
    assert "Opciones elegidas" in text, text


def visit(owner, client, home, lead, mailbox):
    """Hours are proposed, the client takes one and moves it with a second tap; page and mails name the same hour."""
    page, seen = owner.page, client.page
    page.goto(f"{home.url}/panel/leads/{lead}/visitas")
    owner.look("dia-10-visita")
    page.get_by_label("Dónde").fill("Calle de la Palma 12, Madrid")
    page.locator("input[name=hueco]").last.check()
    page.get_by_role("button", name="Proponer estas horas").click()
    expect(page.get_by_text("Visita preparada.")).to_be_visible()
    seen.reload()
    seen.get_by_role("link", name="Elegir hora para la visita").click()
    seen.locator("input[name=hora]").last.check()
    seen.get_by_role("button", name="Quedar a esta hora").click()
    expect(seen.get_by_text("Hecho: nos vemos a esa hora")).to_be_visible()
    client.look("dia-11-visita-cliente")
    seen.get_by_role("link", name="Cambiar la hora").click()
    seen.get_by_text("Más días").click()
    seen.locator("input[name=hora]").last.check()
    seen.get_by_role("button", name="Cambiar a esta hora").click()
    expect(seen.get_by_role("heading", name="¿Cambiamos la hora?")).to_be_visible()
    client.look("dia-12-cambio")
    seen.get_by_role("button", name="Sí, cambiarla").click()
    expect(seen.get_by_text("Hecho: nos vemos a esa hora")).to_be_visible()
    hour = mailbox.wait(CLIENT, "Cambia la visita")["subject"].rsplit(", ", 1)[1]
    expect(seen.locator("main")).to_contain_text(hour)
    page.reload()
    expect(page.get_by_text("Confirmada").first).to_be_visible()
    assert page.get_by_label("Cuándo").input_value().endswith(hour), (page.get_by_label("Cuándo").input_value(), hour)
    owner.look("dia-13-visita-movida")


def replies(owner, home, lead, mailbox, receiver):
    """By mail, which arrives; and by messaging, which waits until the workflow says that it was sent."""
    page = owner.page
    home.api(f"/api/leads/{lead}/conversacion", {"rol": "user", "mensaje": "¿Traéis muestras de azulejos?"})
    page.goto(f"{home.url}/panel/leads/{lead}")
    expect(page.locator(".lead-siguiente")).to_contain_text("Responder")
    owner.look("dia-14-responder")
    reply(page, "Correo", "Sí, Ana: llevamos cuatro.")
    mail = mailbox.wait(CLIENT, "Sobre tu reforma")
    assert "llevamos cuatro" in mail.get_body(("plain",)).get_content() and MINE in mail["reply-to"], mail.as_string()
    expect(page.locator(".lead-siguiente")).not_to_contain_text("Responder")
    before = len(receiver.received)
    reply(page, "Mensajería", "Y el jueves te enseñamos el plato de ducha.")
    signal = receiver.wait(before + 1)[-1]
    assert signal["texto"] == "Y el jueves te enseñamos el plato de ducha." and signal["leadId"] == lead, signal
    expect(page.locator(".hito.chat").last).to_contain_text("pendiente")
    owner.look("dia-15-pendiente")
    home.api(f"/api/leads/{lead}/conversacion", {"rol": "assistant", "mensaje": signal["texto"]}, {"Idempotency-Key": signal["mensajeId"]})
    expect(page.locator(".hito.chat").last).not_to_contain_text("pendiente")
    owner.look("dia-16-respondido")


def reply(page, way, text):
    page.get_by_label("Tu mensaje al cliente").fill(text)
    page.locator(".respuesta-canales").get_by_label(way).check()
    page.locator(".respuesta").get_by_role("button", name="Enviar").click()
    expect(page.locator("#hilo")).to_contain_text(text)


def look_around(browser, home, lead, number, screenshots):
    """The same pages on a desk and on a phone, by day and by night."""
    for screen in ["mesa", "movil"]:
        window = Window(browser, home, screen, True, screenshots)
        page = window.page
        page.goto(f"{home.url}/panel/leads")
        enter(window, OWNER)
        expect(page.get_by_text(NAME).first).to_be_visible()
        window.look("dia-bandeja")
        for name, path in {
            "tablero": "/panel/leads?vista=tablero",
            "lead": f"/panel/leads/{lead}",
            "visitas": "/panel/visitas",
            "presupuestos": "/panel/presupuestos",
            "resumen": "/panel/resumen",
        }.items():
            page.goto(home.url + path)
            window.look(f"dia-{name}")
        leave(window)
