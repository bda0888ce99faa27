import os
from uuid import UUID

from embudo_client import Embudo
from embudo_client.models import Intento

embudo = Embudo(os.environ["EMBUDO_URL"], os.environ["FUNNEL_API_KEY"])
lead = UUID(os.environ["LEAD"])
intento = Intento(canal="llamada", numero_intento=1, resultado="no_contesta")
print(embudo.intento(lead, intento).id)
