"""Rooms drawn before and after, as JPEGs: what photos and renders look like, without anybody's home in them."""

import base64
import io

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

WIDTH, HEIGHT = 1600, 1200
FLOOR = 860


def _canvas(wall, floor):
    image = Image.new("RGB", (WIDTH, HEIGHT), wall)
    ImageDraw.Draw(image).rectangle((0, FLOOR, WIDTH, HEIGHT), fill=floor)
    return image


def _shadow(image, boxed, strength=90, blur=26, radius=20):
    """A soft shadow under and behind a thing."""
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(boxed, radius, fill=strength)
    image.paste((30, 26, 22), mask=mask.filter(ImageFilter.GaussianBlur(blur)))


def _part(image, boxed, color, radius=10, shadow=True, edge=None):
    if shadow:
        x0, y0, x1, y1 = boxed
        _shadow(image, (x0 + 8, y0 + 14, x1 + 8, y1 + 16), radius=radius)
    ImageDraw.Draw(image).rounded_rectangle(boxed, radius, fill=color, outline=edge, width=3 if edge else 0)


def _tiles(image, boxed, side, color, joins, height=None):
    drawing = ImageDraw.Draw(image)
    x0, y0, x1, y1 = boxed
    drawing.rectangle(boxed, fill=color)
    for x in range(x0, x1 + 1, side):
        drawing.line((x, y0, x, y1), fill=joins, width=3)
    for y in range(y0, y1 + 1, height or side):
        drawing.line((x0, y, x1, y), fill=joins, width=3)


def _tables(image, color, joins):
    """A wooden floor that runs away from the eye."""
    drawing = ImageDraw.Draw(image)
    drawing.rectangle((0, FLOOR, WIDTH, HEIGHT), fill=color)
    for step in range(-14, 15):
        drawing.line((WIDTH // 2 + step * 110, FLOOR, WIDTH // 2 + step * 230, HEIGHT), fill=joins, width=3)


def _floor_tiles(image, color, joins):
    _tables(image, color, joins)
    drawing, y, jump = ImageDraw.Draw(image), FLOOR, 30
    while y < HEIGHT:
        drawing.line((0, y, WIDTH, y), fill=joins, width=3)
        y, jump = y + jump, int(jump * 1.5)


def _window(image, boxed, frame, sky):
    x0, y0, x1, y1 = boxed
    _part(image, boxed, frame, 6)
    sheet = Image.new("RGB", (x1 - x0 - 36, y1 - y0 - 36), sky)
    light = Image.linear_gradient("L").resize(sheet.size)
    sheet.paste((255, 255, 250), mask=light.point(lambda v: v // 2))
    image.paste(sheet, (x0 + 18, y0 + 18))
    ImageDraw.Draw(image).line(((x0 + x1) // 2, y0, (x0 + x1) // 2, y1), fill=frame, width=14)


def _plant(image, x, y, size=1.0):
    drawing = ImageDraw.Draw(image)
    for dx, dy, length in [(-70, -150, 60), (-30, -210, 70), (20, -230, 74), (60, -170, 64), (0, -150, 60)]:
        cx, cy, r = x + dx * size, y + dy * size, length * size
        drawing.ellipse((cx - r * 0.55, cy - r, cx + r * 0.55, cy + r), fill=(74, 116, 84))
        drawing.line((x, y - 60 * size, cx, cy), fill=(56, 92, 66), width=5)
    drawing.polygon(
        [(x - 58 * size, y - 80 * size), (x + 58 * size, y - 80 * size), (x + 42 * size, y), (x - 42 * size, y)],
        fill=(196, 124, 88),
    )


def _light(image, centre, radius, strength, tone=(255, 236, 200)):
    mask = Image.new("L", image.size, 0)
    x, y = centre
    ImageDraw.Draw(mask).ellipse((x - radius, y - radius, x + radius, y + radius), fill=strength)
    image.paste(tone, mask=mask.filter(ImageFilter.GaussianBlur(radius // 2)))


def _finish(image, dull):
    """Daylight from above; an old room is duller, as phones take it."""
    light = Image.linear_gradient("L").resize(image.size).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    image = ImageChops.multiply(image, Image.merge("RGB", [light.point(lambda v: 205 + v * 50 // 255)] * 3))
    if dull:
        image = Image.blend(image, Image.new("RGB", image.size, (96, 84, 62)), 0.18)
    return image


def bano(after):
    if after:
        image = _canvas((236, 231, 222), (150, 120, 90))
        _tiles(image, (980, 60, 1600, FLOOR), 104, (207, 216, 208), (226, 232, 226), 208)
        _tables(image, (189, 158, 122), (170, 138, 104))
        _window(image, (1050, 150, 1270, 440), (250, 249, 246), (186, 212, 226))
        _light(image, (390, 300), 260, 150)
        _part(image, (180, 130, 600, 550), (214, 226, 230), 210, edge=(176, 144, 96))
        _part(image, (90, 660, 760, 860), (171, 128, 88), 10)
        ImageDraw.Draw(image).line((90, 760, 760, 760), fill=(146, 106, 70), width=4)
        _part(image, (70, 626, 780, 672), (250, 249, 246), 8)
        _part(image, (280, 570, 500, 634), (255, 255, 253), 26)
        drawing = ImageDraw.Draw(image)
        drawing.line((390, 570, 390, 500, 350, 500), fill=(60, 58, 54), width=12)
        _part(image, (960, 940, 1600, 1010), (245, 244, 240), 6)
        drawing.line((1500, 940, 1500, 150, 1400, 150), fill=(60, 58, 54), width=12)
        drawing.ellipse((1340, 140, 1460, 172), fill=(60, 58, 54))
        glass = Image.new("L", image.size, 0)
        ImageDraw.Draw(glass).rectangle((960, 100, 1290, 960), fill=46)
        image.paste((236, 246, 248), mask=glass)
        drawing.rectangle((960, 100, 970, 960), fill=(60, 58, 54))
        _plant(image, 690, 628, 0.7)
        _part(image, (150, 1000, 620, 1110), (222, 214, 200), 30)
    else:
        image = _canvas((226, 214, 188), (120, 110, 96))
        _tiles(image, (0, 0, WIDTH, FLOOR), 100, (222, 202, 172), (186, 164, 134))
        for x in range(0, WIDTH, 100):
            ImageDraw.Draw(image).ellipse((x + 34, 434, x + 66, 466), fill=(176, 128, 92))
        _floor_tiles(image, (142, 124, 104), (112, 96, 80))
        _window(image, (1150, 110, 1410, 350), (178, 160, 134), (178, 188, 186))
        _part(image, (220, 160, 560, 480), (170, 182, 180), 6, edge=(160, 140, 110))
        _part(image, (330, 650, 450, 900), (226, 218, 204), 20)
        _part(image, (210, 580, 570, 680), (236, 228, 214), 46)
        ImageDraw.Draw(image).line((390, 590, 390, 540), fill=(150, 148, 142), width=16)
        _part(image, (860, 660, 1600, 990), (232, 224, 208), 40)
        _part(image, (840, 640, 1600, 700), (240, 232, 218), 26)
        drawing = ImageDraw.Draw(image)
        for fold in range(6):
            drawing.rectangle((850 + fold * 34, 90, 884 + fold * 34, 760), fill=(206 - fold % 2 * 18, 190 - fold % 2 * 18, 150))
        drawing.line((830, 90, 1600, 90), fill=(150, 148, 142), width=10)
        drawing.line((640, 120, 670, 260, 650, 380), fill=(120, 104, 84), width=5)
    return _finish(image, not after)


def cocina(after):
    if after:
        image = _canvas((240, 236, 228), (170, 140, 108))
        _tables(image, (196, 164, 126), (174, 142, 106))
        _tiles(image, (60, 380, 1540, 610), 74, (226, 232, 226), (244, 246, 243), 37)
        _light(image, (330, 470), 200, 110)
        _light(image, (1300, 470), 200, 110)
        _window(image, (560, 90, 1010, 400), (250, 249, 246), (190, 216, 228))
        for x in (60, 250):
            _part(image, (x, 70, x + 180, 370), (88, 116, 104), 6)
        for x in (1100, 1320):
            _part(image, (x, 70, x + 210, 370), (88, 116, 104), 6)
        for n, x in enumerate(range(60, 1500, 246)):
            _part(image, (x, 640, x + 238, 900), (88, 116, 104) if n != 3 else (44, 46, 48), 6)
            ImageDraw.Draw(image).line((x + 70, 668, x + 168, 668), fill=(214, 190, 142), width=8)
        _part(image, (40, 604, 1560, 648), (250, 248, 243), 6)
        ImageDraw.Draw(image).line((760, 604, 760, 500, 820, 500, 820, 530), fill=(190, 160, 110), width=12)
        _part(image, (430, 960, 1290, 1010), (206, 164, 118), 8)
        _part(image, (470, 1010, 1250, 1200), (242, 239, 232), 6, shadow=False)
        _plant(image, 1220, 962, 0.75)
        ImageDraw.Draw(image).ellipse((560, 920, 720, 964), fill=(206, 120, 84))
    else:
        image = _canvas((228, 216, 190), (140, 120, 100))
        _tiles(image, (0, 330, WIDTH, FLOOR), 90, (226, 208, 176), (190, 168, 136))
        _floor_tiles(image, (156, 122, 98), (122, 92, 72))
        _window(image, (600, 110, 940, 380), (166, 140, 108), (176, 186, 184))
        for x in (60, 300, 1010, 1250):
            _part(image, (x, 70, x + 230, 350), (150, 106, 66), 4, edge=(120, 82, 48))
        for x in range(60, 1300, 246):
            _part(image, (x, 660, x + 238, 920), (150, 106, 66), 4, edge=(120, 82, 48))
            ImageDraw.Draw(image).ellipse((x + 196, 770, x + 218, 792), fill=(206, 190, 150))
        _part(image, (40, 620, 1310, 668), (184, 172, 152), 4)
        _part(image, (1330, 480, 1570, 980), (232, 226, 214), 14, edge=(196, 188, 172))
        ImageDraw.Draw(image).line((1330, 650, 1570, 650), fill=(190, 182, 166), width=6)
        ImageDraw.Draw(image).line((770, 620, 770, 560, 830, 560), fill=(150, 148, 142), width=14)
        _light(image, (800, 40), 160, 120, (255, 244, 190))
    return _finish(image, not after)


def data_uri(image, width=WIDTH):
    bytes_ = io.BytesIO()
    image = image.resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
    image.save(bytes_, "JPEG", quality=86)
    return "data:image/jpeg;base64," + base64.b64encode(bytes_.getvalue()).decode()


def album(width=WIDTH):
    """Before and after of two zones, as the ingestion takes them."""
    return [
        {"tipo": "foto", "imagen": data_uri(render(momento == "despues"), width), "zona": zona, "momento": momento}
        for zona, render in [("bano", bano), ("cocina", cocina)]
        for momento in ["antes", "despues"]
    ]


def logo(name, color):
    """A roof over a line and a name: the mark of a company that does not exist."""
    image = Image.new("RGBA", (1600, 320), (0, 0, 0, 0))
    drawing = ImageDraw.Draw(image)
    drawing.rounded_rectangle((0, 0, 320, 320), 72, fill=color)
    points = [(64, 175), (160, 84), (256, 175)]
    drawing.line(points, fill="white", width=30, joint="curve")
    for x, y in points:
        drawing.ellipse((x - 14, y - 14, x + 14, y + 14), fill="white")
    drawing.rounded_rectangle((100, 202, 220, 232), 15, fill="white")
    letter = ImageFont.load_default(170)
    drawing.text((384, 160), name, font=letter, fill=(35, 33, 30), anchor="lm", stroke_width=4, stroke_fill=(35, 33, 30))
    clip = image.crop((0, 0, int(drawing.textlength(name, letter)) + 400, 320))
    return clip.resize((clip.width // 2, clip.height // 2), Image.Resampling.LANCZOS)
