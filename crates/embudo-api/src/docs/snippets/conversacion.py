import os
from uuid import UUID

from embudo_client import Embudo
from embudo_client.models import Turno

embudo = Embudo(os.environ["EMBUDO_URL"], os.environ["FUNNEL_API_KEY"])
lead = UUID(os.environ["LEAD"])
turno = Turno(rol="user", mensaje="¿Cuándo podéis venir?", bot_step="visita")
print(embudo.conversacion(lead, turno).id)
