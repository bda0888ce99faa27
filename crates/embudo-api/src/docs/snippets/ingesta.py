import os
from uuid import UUID

from embudo_client import Embudo
from embudo_client.models import Ingesta, ItemFoto, ItemTexto

embudo = Embudo(os.environ["EMBUDO_URL"], os.environ["FUNNEL_API_KEY"])
lead = UUID(os.environ["LEAD"])
foto = ItemFoto(tipo="foto", imagen="https://ejemplo.es/bano.jpg")
texto = ItemTexto(tipo="texto", texto="Quiero plato de ducha")
done = embudo.ingesta(lead, Ingesta(items=[foto, texto]))
print(done.fotos, done.notas)
