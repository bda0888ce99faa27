import os
from uuid import UUID

from embudo_client import Embudo
from embudo_client.models import Perfil

embudo = Embudo(os.environ["EMBUDO_URL"], os.environ["FUNNEL_API_KEY"])
lead = UUID(os.environ["LEAD"])
perfil = Perfil(tipo_reforma="bano", m_2_suelo=5.5, calidad_global="media")
print(embudo.perfil(lead, perfil).actualizado)
