"""The quote as HTML, from the same `datos.json` and pictures that our template reads: same texts, tables and pictures on A4, as one
would write it for a browser or for WeasyPrint. Nothing here is timed."""

import json
from html import escape
from pathlib import Path

ESTILO = """
@page {
  size: A4; margin: 24mm 20mm 23mm;
  @top-left { content: "%(empresa)s"; font: 7.5pt "Noto Sans"; color: #625e58; border-bottom: 0.5pt solid #d9d5ce; width: 50%%; height: 6mm; margin-top: 12mm; text-align: left; }
  @top-right { content: "Presupuesto %(numero)s"; font: 7.5pt "Noto Sans"; color: #625e58; border-bottom: 0.5pt solid #d9d5ce; width: 50%%; height: 6mm; margin-top: 12mm; text-align: right; }
  @bottom-left { content: "%(pie)s"; white-space: pre-line; font: 7pt "Noto Sans"; color: #625e58; border-top: 0.5pt solid #d9d5ce; width: 80%%; height: 10mm; margin-bottom: 9mm; text-align: left; }
  @bottom-right { content: "página " counter(page) " de " counter(pages); font: 7pt "Noto Sans"; color: #625e58; border-top: 0.5pt solid #d9d5ce; width: 20%%; height: 10mm; margin-bottom: 9mm; text-align: right; }
}
@page :first {
  margin-top: 0;
  @top-left { content: none; border: none } @top-right { content: none; border: none }
}
body { margin: 0; font: 9pt/1.35 "Noto Sans", "Noto Emoji"; color: #23211e; font-variant-numeric: lining-nums tabular-nums; }
p { margin: 0 0 0.5em; }
.portada { background: %(marca)s; color: %(sobre)s; margin: 0 -20mm 7mm; padding: 15mm 20mm 8mm; }
.cabeza, .datos, .fila, .dos { display: flex; justify-content: space-between; }
.logo { background: #fff; border-radius: 3pt; padding: 2.5mm; } .logo img { height: 13mm; display: block; }
.contacto { text-align: right; font-size: 8.5pt; }
.portada h1 { font-size: 28pt; margin: 8mm 0 3mm; line-height: 1.1; } .obra { font-size: 13pt; margin-bottom: 5mm; }
.rotulo { font-size: 7.5pt; font-weight: bold; letter-spacing: 0.06em; text-transform: uppercase; margin: 0 0 1mm; }
.datos b { font-size: 11pt; } .datos div { padding-right: 10mm; } .datos .quien { flex: 1; }
.dos > * { width: 83mm; box-sizing: border-box; }
.tarjeta { border: 0.6pt solid #d9d5ce; border-radius: 4pt; padding: 4.2mm; margin-bottom: 4mm; }
.tarjeta .rotulo, .fuerte, h2.zona, .total td { color: %(fuerte)s; } .tarjeta b { font-size: 12pt; }
.suave { background: %(suave)s; border-color: %(suave)s; } .cifra { font-size: 23pt; font-weight: bold; color: %(fuerte)s; }
h2.zona { font-size: 15pt; margin: 8mm 0 4mm; break-after: avoid; display: flex; justify-content: space-between; } h2.zona span { font-size: 11pt; }
h3 { font-size: 10.5pt; margin: 5mm 0 2.4mm; break-after: avoid; }
.fila { margin: 3mm 0; break-inside: avoid; }
figure { margin: 0; position: relative; overflow: hidden; border-radius: 3pt; background: %(suave)s; }
figure img { width: 100%%; height: 100%%; object-fit: cover; display: block; }
figcaption { position: absolute; left: 1.8mm; bottom: 1.8mm; font-size: 6.8pt; font-weight: bold; }
figcaption span { background: rgba(0, 0, 0, 0.72); color: #fff; border-radius: 2pt; padding: 1.1mm 1.8mm; }
figcaption .ia { background: rgba(255, 255, 255, 0.9); color: #23211e; }
.nota { border-left: 2pt solid %(marca)s; padding: 0.6mm 0 0.6mm 4mm; margin: 2.6mm 0; font: 10pt "Libertinus Serif"; } .nota p { margin: 0; }
table { border-collapse: collapse; width: 100%%; font-size: 8.4pt; line-height: 1.1; }
th, td { padding: 1mm 1.8mm; border-bottom: 0.4pt solid #d9d5ce; text-align: left; vertical-align: top; }
thead th { font-size: 7pt; color: #625e58; } .n { text-align: right; white-space: nowrap; } tr { break-inside: avoid; }
.capitulo > * { background: %(suave)s; font-weight: bold; break-after: avoid; } .detalle { font-size: 7.6pt; color: #625e58; }
.prosa { font: 10pt/1.3 "Libertinus Serif"; } .dos .prosa { width: 86mm; } .dos .suma { width: 76mm; }
.suma td { border: none; font-size: 9.5pt; padding: 2mm 3mm; } .suma .total td { background: %(suave)s; font-size: 12pt; font-weight: bold; }
.juntos { break-inside: avoid; } ul { font: 9.4pt/1.15 "Libertinus Serif"; padding-left: 4mm; margin: 0; } li { margin-bottom: 1mm; }
.aceptacion { background: %(suave)s; border-radius: 4pt; padding: 4.2mm; font: 9.2pt/1.3 "Libertinus Serif"; } .aceptacion h3, .declaracion h3 { margin-top: 0; font-family: "Noto Sans"; }
.declaracion { font: 9.2pt/1.3 "Libertinus Serif"; padding-top: 4.2mm; }
.qr { width: 26mm; display: block; } .firma { display: flex; justify-content: space-between; margin-top: 9mm; } .firma span { width: 46%%; border-top: 0.6pt solid #625e58; font: 7pt "Noto Sans"; color: #625e58; }
"""


def css(texto):
    return texto.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\A ")


def lista(titulo, puntos):
    if not puntos:
        return ""
    return f"<h3>{titulo}</h3><ul>" + "".join(f"<li>{escape(p)}</li>" for p in puntos) + "</ul>"


def figura(f, ancho, alto):
    ia = ' <span class="ia">Imagen generada por IA</span>' if f["ia"] else ""
    foto = Path(f["ruta"]).name
    return (
        f'<figure style="width:{ancho:.2f}mm;height:{alto}mm"><img src="{foto}" alt="{escape(f["alternativo"])}">'
        f'<figcaption><span>{f["pie"]}</span>{ia}</figcaption></figure>'
    )


def fila(f):
    ancho = (170 - 3 * (f["columnas"] - 1)) / f["columnas"]
    return '<div class="fila">' + "".join(figura(x, ancho, f["alto_mm"]) for x in f["fotos"]) + "</div>"


def tabla(z):
    filas = []
    for c in z["capitulos"]:
        filas.append(f'<tr class="capitulo"><th colspan="4" scope="rowgroup">{escape(c["nombre"])}</th><td class="n">{c["total"]}</td></tr>')
        for linea in c["lineas"]:
            detalle = f'<br><span class="detalle">{escape(linea["detalle"])}</span>' if linea["detalle"] else ""
            filas.append(
                f'<tr><td>{escape(linea["concepto"])}{detalle}</td><td class="n">{linea["cantidad"]}</td><td>{linea["unidad"]}</td>'
                f'<td class="n">{linea["precio"]}</td><td class="n">{linea["importe"]}</td></tr>'
            )
    cabecera = '<th scope="col">Concepto</th><th scope="col" class="n">Cantidad</th><th scope="col">Ud.</th>'
    cabecera += '<th scope="col" class="n">Precio</th><th scope="col" class="n">Importe</th>'
    return f"<table><thead><tr>{cabecera}</tr></thead><tbody>{''.join(filas)}</tbody></table>"


def zona(z):
    partes = [f'<h2 class="zona">{escape(z["nombre"])} <span>{z["total"] or ""}</span></h2>', *map(fila, z["filas"])]
    if z["notas"]:
        partes.append("<h3>Lo que nos has contado</h3>")
        partes += ['<div class="nota">' + "".join(f"<p>{escape(p)}</p>" for p in n) + "</div>" for n in z["notas"]]
    if z["capitulos"]:
        partes.append(tabla(z))
    return "".join(partes)


FIRMA = '<div class="firma"><span>Nombre y NIF</span><span>Fecha y firma</span></div>'


def tarjeta(rotulo, cuerpo, clase=""):
    return f'<div class="tarjeta {clase}"><p class="rotulo">{rotulo}</p>{cuerpo}</div>'


def html(carpeta):
    """The whole page for the folder's quote; its pictures are named as they lie there."""
    d = json.loads((Path(carpeta) / "datos.json").read_text())
    e, c, o, p = d["empresa"], d["cliente"], d["obra"], d["precio"]
    assert p["rango"] is None and p["objetivo"] is None and d["logo"] and d["qr"], "the quote of the benchmark has a firm price"
    estilo = ESTILO % {
        **d["colores"],
        "empresa": css(e["nombre"]),
        "numero": css(d["numero"]),
        "pie": css(" · ".join(e["legal"]) + "\n" + " · ".join(e["contacto"])),
    }
    x = {k: escape(str(v)) for k, v in {**c, **o}.items()}
    portada = f"""<div class="portada"><div class="cabeza"><div class="logo"><img src="logo.png" alt="Logotipo de {escape(e["nombre"])}"></div>
<div class="contacto"><b>{escape(e["nombre"])}</b><br>{"<br>".join(map(escape, e["contacto"]))}</div></div>
<h1>Presupuesto {d["numero"]}</h1><div class="obra">{x["titulo"]}, {x["m2"]}&nbsp;m², calidad {x["calidad"]}</div>
<div class="datos"><div class="quien"><p class="rotulo">Para</p><b>{x["nombre"]}</b><br>{x["telefono"]} · {x["email"]}</div>
<div><p class="rotulo">Lugar</p><span>{x["lugar"]}</span></div><div><p class="rotulo">Fecha</p><span>{d["emitido"]["texto"]}</span></div></div></div>"""
    cuanto = f'<div class="cifra">{p["total"]}</div>{p["base"]} más {p["cuota"]} de {p["impuesto"]}.<br><b>Precio vinculante.</b> Es lo que pagas por lo descrito si lo aceptas a tiempo.'
    para = f"<b>{x['titulo']}</b><br>{x['m2']}&nbsp;m² con calidad {x['calidad']}, en {x['lugar']}.<br>"
    para += f"{o['lineas']} partidas en {o['capitulos']} capítulos, con mano de obra y materiales."
    hasta = f"<b>Hasta el {d['hasta']['texto']}</b><br>{d['dias']} días desde la fecha de este documento. Después lo actualizamos sin compromiso."
    sigue = "<b>Lo aceptas y fijamos la visita</b><br>Acéptalo con el código de la última página y te llamamos para medir. "
    sigue += f"¿Dudas? Aquí nos tienes: {escape(e['contacto'][0])}."
    tarjetas = f'<div class="dos">{tarjeta("Cuánto", cuanto, "suave")}{tarjeta("Para qué", para)}</div>'
    tarjetas += f'<div class="dos">{tarjeta("Hasta cuándo vale", hasta)}{tarjeta("Qué sigue", sigue)}</div>'
    con_total = [z for z in d["zonas"] if z["total"]]
    assert len(con_total) <= 1, "one zone needs no summary"
    i = d["impuesto"]
    motivos = f"<p><b>Por qué no el tipo reducido.</b> {escape(' '.join(i['motivos']))}</p>" if i["motivos"] else ""
    totales = f"""<div class="juntos"><h2 class="zona">Total <span class="detalle">{escape(d["caracter"])}</span></h2><div class="dos"><div class="prosa"><p>{escape(i["texto"])} <span class="detalle">({escape(i["norma"])}. Materiales: {i["materiales"]} de la base.)</span></p>{motivos}</div>
<table class="suma"><tr><td>Base imponible</td><td class="n">{p["base"]}</td></tr><tr><td>{escape(p["impuesto"])}</td><td class="n">{p["cuota"]}</td></tr>
<tr class="total"><td>Total</td><td class="n">{p["total"]}</td></tr></table></div></div>"""
    pocos = len(d["supuestos"]) <= 5
    supuestos, no_incluye = lista("Lo que damos por supuesto", d["supuestos"]), lista("Lo que no incluye", d["no_incluye"])
    condiciones = lista("Condiciones", d["condiciones"])
    letra = f'<div class="dos"><div>{supuestos}{no_incluye if pocos else ""}</div><div>{"" if pocos else no_incluye}{condiciones}</div></div>'
    declaracion = ""
    if d["declaracion"]:
        declaracion = f'<div class="declaracion"><h3>Declaración para el tipo reducido</h3><p>{escape(d["declaracion"])}</p>{FIRMA}</div>'
    aceptacion = f"""<div class="aceptacion"><h3>Aceptación</h3><div class="cabeza"><p>Acepto el presupuesto {d["numero"]} de {escape(e["nombre"])}, con fecha {d["emitido"]["texto"]}, por un total de <b>{p["total"]}</b> ({p["impuesto"]} incluido). O acéptalo en línea con este código.</p>
<a href="{escape(d["pagina_url"])}"><img class="qr" src="qr.svg" alt="Código QR que lleva a la página de este presupuesto"></a></div>{FIRMA}</div>"""
    cuerpo = portada + tarjetas + "".join(map(zona, d["zonas"])) + totales + letra + f'<div class="dos juntos">{declaracion}{aceptacion}</div>'
    cabeza = f'<meta charset="utf-8"><title>{escape(d["titulo"])}</title><meta name="description" content="{escape(d["descripcion"])}">'
    cabeza += f'<meta name="author" content="{escape(e["nombre"])}"><meta name="keywords" content="{escape(", ".join(d["palabras_clave"]))}">'
    return f'<!doctype html><html lang="es"><head>{cabeza}<style>{estilo}</style></head><body>{cuerpo}</body></html>'
