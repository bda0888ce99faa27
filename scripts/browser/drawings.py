"""Rooms drawn before and after, as JPEGs: what photos and renders look like, without anybody's home in them."""

import base64
import io

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

ANCHO, ALTO = 1600, 1200
SUELO = 860


def _lienzo(pared, suelo):
    imagen = Image.new("RGB", (ANCHO, ALTO), pared)
    ImageDraw.Draw(imagen).rectangle((0, SUELO, ANCHO, ALTO), fill=suelo)
    return imagen


def _sombra(imagen, caja, fuerza=90, borroso=26, radio=20):
    """A soft shadow under and behind a thing."""
    mascara = Image.new("L", imagen.size, 0)
    ImageDraw.Draw(mascara).rounded_rectangle(caja, radio, fill=fuerza)
    imagen.paste((30, 26, 22), mask=mascara.filter(ImageFilter.GaussianBlur(borroso)))


def _pieza(imagen, caja, color, radio=10, sombra=True, canto=None):
    if sombra:
        x0, y0, x1, y1 = caja
        _sombra(imagen, (x0 + 8, y0 + 14, x1 + 8, y1 + 16), radio=radio)
    ImageDraw.Draw(imagen).rounded_rectangle(caja, radio, fill=color, outline=canto, width=3 if canto else 0)


def _azulejos(imagen, caja, lado, color, junta, alto=None):
    dibujo = ImageDraw.Draw(imagen)
    x0, y0, x1, y1 = caja
    dibujo.rectangle(caja, fill=color)
    for x in range(x0, x1 + 1, lado):
        dibujo.line((x, y0, x, y1), fill=junta, width=3)
    for y in range(y0, y1 + 1, alto or lado):
        dibujo.line((x0, y, x1, y), fill=junta, width=3)


def _tablas(imagen, color, junta):
    """A wooden floor that runs away from the eye."""
    dibujo = ImageDraw.Draw(imagen)
    dibujo.rectangle((0, SUELO, ANCHO, ALTO), fill=color)
    for paso in range(-14, 15):
        dibujo.line((ANCHO // 2 + paso * 110, SUELO, ANCHO // 2 + paso * 230, ALTO), fill=junta, width=3)


def _baldosas(imagen, color, junta):
    _tablas(imagen, color, junta)
    dibujo, y, salto = ImageDraw.Draw(imagen), SUELO, 30
    while y < ALTO:
        dibujo.line((0, y, ANCHO, y), fill=junta, width=3)
        y, salto = y + salto, int(salto * 1.5)


def _ventana(imagen, caja, marco, cielo):
    x0, y0, x1, y1 = caja
    _pieza(imagen, caja, marco, 6)
    hoja = Image.new("RGB", (x1 - x0 - 36, y1 - y0 - 36), cielo)
    claro = Image.linear_gradient("L").resize(hoja.size)
    hoja.paste((255, 255, 250), mask=claro.point(lambda v: v // 2))
    imagen.paste(hoja, (x0 + 18, y0 + 18))
    ImageDraw.Draw(imagen).line(((x0 + x1) // 2, y0, (x0 + x1) // 2, y1), fill=marco, width=14)


def _planta(imagen, x, y, tamano=1.0):
    dibujo = ImageDraw.Draw(imagen)
    for dx, dy, largo in [(-70, -150, 60), (-30, -210, 70), (20, -230, 74), (60, -170, 64), (0, -150, 60)]:
        cx, cy, r = x + dx * tamano, y + dy * tamano, largo * tamano
        dibujo.ellipse((cx - r * 0.55, cy - r, cx + r * 0.55, cy + r), fill=(74, 116, 84))
        dibujo.line((x, y - 60 * tamano, cx, cy), fill=(56, 92, 66), width=5)
    dibujo.polygon(
        [(x - 58 * tamano, y - 80 * tamano), (x + 58 * tamano, y - 80 * tamano), (x + 42 * tamano, y), (x - 42 * tamano, y)],
        fill=(196, 124, 88),
    )


def _luz(imagen, centro, radio, fuerza, tono=(255, 236, 200)):
    mascara = Image.new("L", imagen.size, 0)
    x, y = centro
    ImageDraw.Draw(mascara).ellipse((x - radio, y - radio, x + radio, y + radio), fill=fuerza)
    imagen.paste(tono, mask=mascara.filter(ImageFilter.GaussianBlur(radio // 2)))


def _acabar(imagen, apagada):
    """Daylight from above; an old room is duller, as phones take it."""
    claro = Image.linear_gradient("L").resize(imagen.size).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    imagen = ImageChops.multiply(imagen, Image.merge("RGB", [claro.point(lambda v: 205 + v * 50 // 255)] * 3))
    if apagada:
        imagen = Image.blend(imagen, Image.new("RGB", imagen.size, (96, 84, 62)), 0.18)
    return imagen


def bano(despues):
    if despues:
        imagen = _lienzo((236, 231, 222), (150, 120, 90))
        _azulejos(imagen, (980, 60, 1600, SUELO), 104, (207, 216, 208), (226, 232, 226), 208)
        _tablas(imagen, (189, 158, 122), (170, 138, 104))
        _ventana(imagen, (1050, 150, 1270, 440), (250, 249, 246), (186, 212, 226))
        _luz(imagen, (390, 300), 260, 150)
        _pieza(imagen, (180, 130, 600, 550), (214, 226, 230), 210, canto=(176, 144, 96))
        _pieza(imagen, (90, 660, 760, 860), (171, 128, 88), 10)
        ImageDraw.Draw(imagen).line((90, 760, 760, 760), fill=(146, 106, 70), width=4)
        _pieza(imagen, (70, 626, 780, 672), (250, 249, 246), 8)
        _pieza(imagen, (280, 570, 500, 634), (255, 255, 253), 26)
        dibujo = ImageDraw.Draw(imagen)
        dibujo.line((390, 570, 390, 500, 350, 500), fill=(60, 58, 54), width=12)
        _pieza(imagen, (960, 940, 1600, 1010), (245, 244, 240), 6)
        dibujo.line((1500, 940, 1500, 150, 1400, 150), fill=(60, 58, 54), width=12)
        dibujo.ellipse((1340, 140, 1460, 172), fill=(60, 58, 54))
        vidrio = Image.new("L", imagen.size, 0)
        ImageDraw.Draw(vidrio).rectangle((960, 100, 1290, 960), fill=46)
        imagen.paste((236, 246, 248), mask=vidrio)
        dibujo.rectangle((960, 100, 970, 960), fill=(60, 58, 54))
        _planta(imagen, 690, 628, 0.7)
        _pieza(imagen, (150, 1000, 620, 1110), (222, 214, 200), 30)
    else:
        imagen = _lienzo((226, 214, 188), (120, 110, 96))
        _azulejos(imagen, (0, 0, ANCHO, SUELO), 100, (222, 202, 172), (186, 164, 134))
        for x in range(0, ANCHO, 100):
            ImageDraw.Draw(imagen).ellipse((x + 34, 434, x + 66, 466), fill=(176, 128, 92))
        _baldosas(imagen, (142, 124, 104), (112, 96, 80))
        _ventana(imagen, (1150, 110, 1410, 350), (178, 160, 134), (178, 188, 186))
        _pieza(imagen, (220, 160, 560, 480), (170, 182, 180), 6, canto=(160, 140, 110))
        _pieza(imagen, (330, 650, 450, 900), (226, 218, 204), 20)
        _pieza(imagen, (210, 580, 570, 680), (236, 228, 214), 46)
        ImageDraw.Draw(imagen).line((390, 590, 390, 540), fill=(150, 148, 142), width=16)
        _pieza(imagen, (860, 660, 1600, 990), (232, 224, 208), 40)
        _pieza(imagen, (840, 640, 1600, 700), (240, 232, 218), 26)
        dibujo = ImageDraw.Draw(imagen)
        for pliegue in range(6):
            dibujo.rectangle((850 + pliegue * 34, 90, 884 + pliegue * 34, 760), fill=(206 - pliegue % 2 * 18, 190 - pliegue % 2 * 18, 150))
        dibujo.line((830, 90, 1600, 90), fill=(150, 148, 142), width=10)
        dibujo.line((640, 120, 670, 260, 650, 380), fill=(120, 104, 84), width=5)
    return _acabar(imagen, not despues)


def cocina(despues):
    if despues:
        imagen = _lienzo((240, 236, 228), (170, 140, 108))
        _tablas(imagen, (196, 164, 126), (174, 142, 106))
        _azulejos(imagen, (60, 380, 1540, 610), 74, (226, 232, 226), (244, 246, 243), 37)
        _luz(imagen, (330, 470), 200, 110)
        _luz(imagen, (1300, 470), 200, 110)
        _ventana(imagen, (560, 90, 1010, 400), (250, 249, 246), (190, 216, 228))
        for x in (60, 250):
            _pieza(imagen, (x, 70, x + 180, 370), (88, 116, 104), 6)
        for x in (1100, 1320):
            _pieza(imagen, (x, 70, x + 210, 370), (88, 116, 104), 6)
        for n, x in enumerate(range(60, 1500, 246)):
            _pieza(imagen, (x, 640, x + 238, 900), (88, 116, 104) if n != 3 else (44, 46, 48), 6)
            ImageDraw.Draw(imagen).line((x + 70, 668, x + 168, 668), fill=(214, 190, 142), width=8)
        _pieza(imagen, (40, 604, 1560, 648), (250, 248, 243), 6)
        ImageDraw.Draw(imagen).line((760, 604, 760, 500, 820, 500, 820, 530), fill=(190, 160, 110), width=12)
        _pieza(imagen, (430, 960, 1290, 1010), (206, 164, 118), 8)
        _pieza(imagen, (470, 1010, 1250, 1200), (242, 239, 232), 6, sombra=False)
        _planta(imagen, 1220, 962, 0.75)
        ImageDraw.Draw(imagen).ellipse((560, 920, 720, 964), fill=(206, 120, 84))
    else:
        imagen = _lienzo((228, 216, 190), (140, 120, 100))
        _azulejos(imagen, (0, 330, ANCHO, SUELO), 90, (226, 208, 176), (190, 168, 136))
        _baldosas(imagen, (156, 122, 98), (122, 92, 72))
        _ventana(imagen, (600, 110, 940, 380), (166, 140, 108), (176, 186, 184))
        for x in (60, 300, 1010, 1250):
            _pieza(imagen, (x, 70, x + 230, 350), (150, 106, 66), 4, canto=(120, 82, 48))
        for x in range(60, 1300, 246):
            _pieza(imagen, (x, 660, x + 238, 920), (150, 106, 66), 4, canto=(120, 82, 48))
            ImageDraw.Draw(imagen).ellipse((x + 196, 770, x + 218, 792), fill=(206, 190, 150))
        _pieza(imagen, (40, 620, 1310, 668), (184, 172, 152), 4)
        _pieza(imagen, (1330, 480, 1570, 980), (232, 226, 214), 14, canto=(196, 188, 172))
        ImageDraw.Draw(imagen).line((1330, 650, 1570, 650), fill=(190, 182, 166), width=6)
        ImageDraw.Draw(imagen).line((770, 620, 770, 560, 830, 560), fill=(150, 148, 142), width=14)
        _luz(imagen, (800, 40), 160, 120, (255, 244, 190))
    return _acabar(imagen, not despues)


def data_uri(imagen, ancho=ANCHO):
    bytes_ = io.BytesIO()
    imagen = imagen.resize((ancho, imagen.height * ancho // imagen.width), Image.Resampling.LANCZOS)
    imagen.save(bytes_, "JPEG", quality=86)
    return "data:image/jpeg;base64," + base64.b64encode(bytes_.getvalue()).decode()


def album(ancho=ANCHO):
    """Before and after of two zones, as the ingestion takes them."""
    return [
        {"tipo": "foto", "imagen": data_uri(dibujar(momento == "despues"), ancho), "zona": zona, "momento": momento}
        for zona, dibujar in [("bano", bano), ("cocina", cocina)]
        for momento in ["antes", "despues"]
    ]


def logo(nombre, color):
    """A roof over a line and a name: the mark of a company that does not exist."""
    imagen = Image.new("RGBA", (1600, 320), (0, 0, 0, 0))
    dibujo = ImageDraw.Draw(imagen)
    dibujo.rounded_rectangle((0, 0, 320, 320), 72, fill=color)
    puntos = [(64, 175), (160, 84), (256, 175)]
    dibujo.line(puntos, fill="white", width=30, joint="curve")
    for x, y in puntos:
        dibujo.ellipse((x - 14, y - 14, x + 14, y + 14), fill="white")
    dibujo.rounded_rectangle((100, 202, 220, 232), 15, fill="white")
    letra = ImageFont.load_default(170)
    dibujo.text((384, 160), nombre, font=letra, fill=(35, 33, 30), anchor="lm", stroke_width=4, stroke_fill=(35, 33, 30))
    recorte = imagen.crop((0, 0, int(dibujo.textlength(nombre, letra)) + 400, 320))
    return recorte.resize((recorte.width // 2, recorte.height // 2), Image.Resampling.LANCZOS)
