"""The company's pages in the panel: from a new installation to a set-up company, as its owner does it."""

import io
import re
import urllib.parse

import zxingcpp
from PIL import Image, ImageDraw
from playwright.sync_api import expect
from server import Server
from window import PASSWORD, VIEWS, Window, leave, person, sign_in

EMAIL = "marta@reformasalba.example"
EVIL = "<script>document.title='mal'</script>"
PAGES = {"empresa": "Puesta en marcha", "datos": "Datos de la empresa", "marca": "Marca", "formulario": "Formulario", "textos": "Textos", "recordatorios": "Recordatorios", "conexiones": "Conexiones"}


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    place = urllib.parse.urlsplit(receiver.url).netloc
    home = Server(receiver, FETCH_ALLOW=place)
    try:
        person(home, EMAIL, "Marta Ruiz", "--administrador")
        person(home, "luis@reformasalba.example", "Luis Pérez", "--role", "mi-empresa=gestor")
        for screen, with_js in VIEWS:
            window = enter(browser, home, screen, with_js, screenshots)
            window.page.goto(f"{home.url}/panel/leads")
            expect(window.page.get_by_text("Puesta en marcha: 0 de 5")).to_be_visible()
            window.look("bandeja-puesta")
            look_around(window, home, "nueva")
            leave(window)
            yield f"nueva {window.name}"
        window = enter(browser, home, "mesa", True, screenshots, "luis@reformasalba.example")
        window.page.goto(f"{home.url}/panel/empresa")
        assert "SMTP_HOST" not in window.page.content()
        window.look("empresa-gestor")
        leave(window)
        yield "gestor"
        for screen, with_js in [("mesa", True), ("movil", True), ("movil", False)]:
            window = enter(browser, home, screen, with_js, screenshots)
            set_up(window, home)
            reminders(window, home)
            texts(window, home)
            connect(window, home, receiver)
            leave(window)
            yield f"acciones {window.name}"
        for screen in ["mesa", "movil"]:
            window = enter(browser, home, screen, True, screenshots)
            look_around(window, home, "lista")
            leave(window)
            yield f"lista {window.name}"
    finally:
        home.close()


def enter(browser, home, screen, with_js, screenshots, email=EMAIL):
    window = Window(browser, home, screen, with_js, screenshots)
    sign_in(window, home, email)
    return window


def look_around(window, home, when):
    page = window.page
    if window.touch:
        # A phone's bar holds four places; the others are behind this.
        page.locator(".menu-mas summary").click()
    page.get_by_role("link", name="Empresa", exact=True).click()
    for name, title in PAGES.items():
        if name != "empresa":
            page.get_by_role("navigation", name="Empresa").get_by_role("link", name=title if name != "datos" else "Datos", exact=True).click()
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        for image in page.locator("main img").all():
            expect(image).to_have_js_property("complete", True) if window.with_js else None
        window.look(f"{name}-{when}")
    assert page.title() != "mal"


def set_up(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/empresa")
    page.get_by_role("link", name="Rellenar los datos").click()
    page.get_by_label("NIF").fill("1")
    page.get_by_label("Nombre").fill(f"Reformas Alba {EVIL}")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("No parece un NIF").first).to_be_visible()
    window.look("datos-mal")
    page.get_by_label("Nombre").fill("Reformas Alba")
    page.get_by_label("NIF").fill("B12345678")
    page.get_by_label("Dirección").fill("Calle Mayor 1, 28013 Madrid")
    page.get_by_label("Teléfono").fill("910 000 000")
    page.get_by_label("Correo para clientes").fill("hola@reformasalba.example")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    window.look("datos-bien")
    colour(window, home)
    logo(window, home)
    page.goto(f"{home.url}/panel/empresa/formulario")
    if window.with_js:
        expect(page.get_by_role("button", name="Copiar")).to_have_count(2)
    page.get_by_label("Webs que pueden mostrarlo").fill("reformasalba.example")
    page.get_by_role("button", name="Guardar las webs").click()
    expect(page.get_by_text("Escribe cada web entera").first).to_be_visible()
    window.look("formulario-mal")
    page.get_by_label("Webs que pueden mostrarlo").fill("https://www.reformasalba.example")
    page.get_by_role("button", name="Guardar las webs").click()
    expect(page.get_by_text("Guardado. Solo esas webs")).to_be_visible()
    with page.expect_download() as kept:
        page.get_by_role("link", name="Bajar PNG").click()
    assert kept.value.suggested_filename == "formulario-mi-empresa.png"
    assert Image.open(kept.value.path()).width >= 1200
    scan(kept.value.path(), f"{home.url}/f/mi-empresa")
    address(window, home)
    reminders(window, home)
    page.goto(f"{home.url}/panel/empresa")
    expect(page.locator("#datos").get_by_text("Hecho", exact=True)).to_be_visible()
    expect(page.locator("#marca").get_by_text("Hecho", exact=True)).to_be_visible()
    window.look("empresa-a-medias")


def address(window, home):
    """Another name in the form's address, and back; the one before leads to the form in either case."""
    page = window.page
    for name, before, after in [("Reformas Alba", "mi-empresa", "reformas-alba"), ("mi empresa", "reformas-alba", "mi-empresa")]:
        page.goto(f"{home.url}/panel/empresa/formulario")
        page.get_by_text("Cambiar la dirección").first.click()
        window.look("formulario-direccion")
        page.get_by_label("Tu nombre en la dirección").fill(name)
        page.get_by_role("button", name="Cambiar la dirección").click()
        expect(page.get_by_text("La dirección de antes lleva a esta.")).to_be_visible()
        expect(page.get_by_label("Enlace del formulario")).to_have_value(f"{home.url}/f/{after}")
        page.goto(f"{home.url}/f/{before}")
        assert page.url == f"{home.url}/f/{after}", page.url


def reminders(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/empresa/recordatorios")
    page.get_by_label("Recordar al cliente su presupuesto").check()
    page.locator("#dias2").fill("1")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Cada recordatorio va después del anterior").first).to_be_visible()
    window.look("recordatorios-mal")
    page.locator("#dias2").fill("8")
    page.locator("#texto2").fill(f"Hola otra vez {EVIL}")
    page.get_by_label("Invitar a terminar el formulario").check()
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    expect(page.locator("#dias2")).to_have_value("8")
    expect(page.get_by_label("Recordar al cliente su presupuesto")).to_be_checked()
    window.look("recordatorios-bien")
    page.get_by_label("Recordar al cliente su presupuesto").uncheck()
    page.locator("#dias2").fill("7")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()


def texts(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/empresa/textos")
    text = page.locator("#t-garantia")
    text.locator("summary").click()
    text.get_by_label("Texto", exact=True).fill("{nadie}")
    text.get_by_role("button", name="Ver cómo queda").click()
    expect(text.get_by_text("No se conoce «{nadie}»")).to_be_visible()
    window.look("textos-mal")
    text.get_by_label("Texto", exact=True).fill(f"{{empresa}} responde cinco años. {EVIL}")
    text.get_by_role("button", name="Ver cómo queda").click()
    expect(text.get_by_text("Reformas Alba responde cinco años.")).to_be_visible()
    window.look("textos-probados")
    text.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Guardado. Vale para lo que se envíe desde ahora")).to_be_visible()
    expect(text.get_by_text("Tuyo, del")).to_be_visible()
    text.locator("summary").click()
    text.get_by_role("button", name="Volver al texto de Embudo").click()
    expect(page.get_by_text("vuelve a valer el texto de Embudo")).to_be_visible()
    page.get_by_label("Condiciones, una por línea").fill("Pago a 30 días.\nSin sorpresas.")
    page.get_by_role("button", name="Guardar condiciones").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    page.get_by_label("Imágenes orientativas de la reforma, a partir de tus fotos").fill("Imágenes del Sur S.L.")
    page.get_by_role("button", name="Guardar privacidad").click()
    expect(page.get_by_text("Guardado.")).to_be_visible()
    window.look("textos-bien")
    page.get_by_role("link", name="Ver la página").click()
    expect(page.get_by_text("Imágenes del Sur S.L.")).to_be_visible()
    window.look("privacidad")


def connect(window, home, receiver):
    page = window.page
    page.goto(f"{home.url}/panel/empresa/conexiones")
    page.get_by_label("Señales de perfil", exact=True).fill("https://127.0.0.1/gancho")
    page.get_by_role("button", name="Guardar direcciones").click()
    expect(page.get_by_text("lleva a una red que no es pública").or_(page.get_by_text("usa un puerto que no se permite")).first).to_be_visible()
    window.look("conexiones-mal")
    page.get_by_label("Señales de perfil", exact=True).fill(f"{receiver.url}?de=alba")
    page.get_by_role("button", name="Guardar direcciones").click()
    expect(page.get_by_text("Guardado. Prueba cada dirección")).to_be_visible()
    assert "de=alba" not in page.content()
    page.get_by_role("button", name=re.compile("secreto")).click()
    assert page.get_by_label("Secreto", exact=True).input_value().startswith("whsec_")
    window.look("secreto")
    page.get_by_role("link", name="Ya lo he copiado").click()
    before = len(receiver.received)
    page.get_by_role("button", name="Enviar una muestra: Señales de perfil").click()
    expect(page.get_by_text("Llegó y la aceptaron.")).to_be_visible()
    assert receiver.wait(before + 1)[-1]["muestra"] is True
    window.look("muestra")
    page.get_by_role("link", name="Volver a las conexiones").click()
    page.get_by_label("Nombre", exact=True).fill("Reformas Alba")
    page.get_by_label("Responder a").fill("hola@reformasalba.example")
    page.get_by_role("button", name="Guardar remitente").click()
    expect(page.get_by_text("Así salen desde ahora")).to_be_visible()
    page.get_by_label("Nombre de la clave nueva").fill("n8n")
    page.get_by_label("Tu contraseña, otra vez").fill(PASSWORD)
    page.get_by_role("button", name="Crear clave").click()
    key = page.get_by_label("Clave", exact=True).input_value()
    assert key.startswith("emb_")
    window.look("clave")
    page.get_by_role("link", name="Ya lo he copiado").click()
    expect(page.get_by_text(key[:12]).first).to_be_visible()
    window.look("conexiones-bien")
    page.get_by_role("button", name="Revocar la clave n8n").first.click()
    expect(page.get_by_text("La clave ya no abre nada.")).to_be_visible()
    page.get_by_label("Quitarla y volver a la del servidor").first.check()
    page.get_by_role("button", name="Guardar direcciones").click()
    expect(page.get_by_text("Guardado. Prueba cada dirección")).to_be_visible()


def scan(path, address):
    """The code as a telephone's camera would read it: small, turned and blurred."""
    seen = Image.open(path).convert("RGB").resize((300, 300)).rotate(7, expand=True, fillcolor="white")
    canvas = Image.new("RGB", (480, 480), "#9aa")
    canvas.paste(seen, (60, 60))
    read = zxingcpp.read_barcodes(canvas)
    assert [code.text for code in read] == [address], read


def colour(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/empresa/marca")
    other = "#c2410c" if window.touch else "#ffd000"
    page.get_by_label("O escribe su código").fill(other)
    if window.with_js:
        page.get_by_label("O escribe su código").blur()
    else:
        page.get_by_role("button", name="Ver cómo queda").click()
    expect(page.get_by_role("heading", name=f"Así queda {other}")).to_be_visible()
    window.look("marca-probada")
    page.get_by_label("O escribe su código").fill(other)
    page.get_by_role("button", name="Guardar el color").click()
    expect(page.get_by_text("Color guardado.")).to_be_visible()


def logo(window, home):
    page = window.page
    page.locator("input[type=file]").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": b"no es una imagen"})
    page.get_by_role("button", name="Guardar el logo").click()
    expect(page.get_by_text("No sirve como logo").first).to_be_visible()
    window.look("marca-mal")
    page.locator("input[type=file]").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": drawn("Alba")})
    page.get_by_role("button", name="Guardar el logo").click()
    expect(page.get_by_text("Logo guardado.")).to_be_visible()
    if window.with_js:
        expect(page.get_by_role("img", name="Logo de")).to_have_js_property("complete", True)
    window.look("marca-con-logo")


def drawn(word):
    picture = Image.new("RGBA", (480, 160))
    pen = ImageDraw.Draw(picture)
    pen.polygon([(20, 90), (90, 20), (160, 90)], fill="#c2410c")
    pen.rectangle([(40, 90), (140, 145)], fill="#3a2a22")
    pen.text((190, 45), word, fill="#3a2a22", font_size=80)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
