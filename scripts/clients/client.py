"""What a careful integrator writes passes mypy; each line under «type: ignore» is nonsense that must not.

Run, it shows that no body was left without types: the generator gives up quietly, with `Any`.
"""

from embudo_client.models import Calificacion, Contacto, Ficha, Ingesta, ItemFoto, ItemTexto, Perfil

perfil = Perfil(tipo_reforma="bano", m_2_suelo=5.5, estructural=False)
calificacion = Calificacion(score=82, nivel="A")
contacto = Contacto(telefono="+34 698 76 54 32")
foto = ItemFoto(tipo="foto", imagen="https://ejemplo.es/cocina.jpg")
ingesta = Ingesta(items=[foto, ItemTexto(tipo="texto", texto="Quiero isla")], finalizar=True)


def delivered(ficha: Ficha) -> bool:
    return all(e.estado == "entregada" for p in ficha.presupuestos for e in p.entregas)


def nonsense() -> None:
    Perfil(tipo_reforma="garaje")  # type: ignore[arg-type]
    Perfil(m_2_suelo="cinco")  # type: ignore[arg-type]
    Perfil(metros=5)  # type: ignore[call-arg]
    Calificacion(score="82")  # type: ignore[arg-type]
    Contacto(telefono=None)  # type: ignore[arg-type]
    Ingesta(finalizar="sí")  # type: ignore[arg-type]
    Ingesta(items=["foto"])  # type: ignore[list-item]
    ItemFoto(tipo="foto")  # type: ignore[call-arg]


for model in (Perfil, Calificacion, Contacto, Ingesta, ItemFoto, ItemTexto):
    # As they are written: «str | Unset».
    fields = {name: kind for name, kind in model.__annotations__.items() if name != "additional_properties"}
    assert fields, f"{model.__name__} has fields"
    for name, kind in fields.items():
        assert "Any" not in kind, f"{model.__name__}.{name} is {kind}"
assert Ingesta.from_dict(ingesta.to_dict()).to_dict() == ingesta.to_dict()
