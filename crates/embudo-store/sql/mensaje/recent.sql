-- The query adds its conditions, order and limit. The state is the job's as long as its row exists,
-- and then the copy in the reply.
SELECT
    m.id, m.lead_id, m.canal, m.texto, m.autor_id, m.autor, m.creado_en, m.caduca, m.confirmado_en,
    coalesce(j.estado, m.trabajo_estado) AS estado, j.terminado_en
FROM mensaje m
LEFT JOIN trabajo j ON j.id = m.id
