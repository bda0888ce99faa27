import os
from uuid import UUID

from embudo_client import Embudo
from embudo_client.models import Calificacion

embudo = Embudo(os.environ["EMBUDO_URL"], os.environ["FUNNEL_API_KEY"])
lead = UUID(os.environ["LEAD"])
calificacion = Calificacion(score=82, nivel="A", notas_agente="Quiere empezar en enero")
print(embudo.calificacion(lead, calificacion).ok)
