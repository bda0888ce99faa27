-- `:revision` is the stored revision plus one; 1 for a new visit.
INSERT INTO visita (
    lead_id, id, empresa_id, estado, revision, secuencia, huecos, inicio, fin, minutos, direccion, personas, notas, medidas, vigente_hasta, creada_en,
    cambiada_en, cancelada_en, cancelada_por
)
VALUES (
    :lead, :id, :empresa, :estado, :revision, :secuencia, :huecos, :inicio, :fin, :minutos, :direccion, :personas, :notas, :medidas, :vigente_hasta,
    :creada_en, :cambiada_en, :cancelada_en, :cancelada_por
)
ON CONFLICT (lead_id, id) DO UPDATE SET
    estado = excluded.estado, revision = excluded.revision, secuencia = excluded.secuencia, huecos = excluded.huecos, inicio = excluded.inicio,
    fin = excluded.fin, minutos = excluded.minutos, direccion = excluded.direccion, personas = excluded.personas, notas = excluded.notas,
    medidas = excluded.medidas, vigente_hasta = excluded.vigente_hasta, cambiada_en = excluded.cambiada_en,
    cancelada_en = excluded.cancelada_en, cancelada_por = excluded.cancelada_por
