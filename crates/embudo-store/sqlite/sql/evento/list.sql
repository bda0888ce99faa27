-- ?1 lead_id, ?2–?4 the event after which the page starts, ?5 how many at most (−1: all).
-- The columns stand in the order of `rows::evento_en_lista`. A change of state is read as an event.
SELECT tipo, simulado, ok, detalle, creado_en, 0 AS clase, n FROM evento
WHERE lead_id = ?1 AND (creado_en, 0, n) > (?2, ?3, ?4)
UNION ALL
SELECT campo, 0, 1, valor, creado_en, 1, n FROM estado_historia
WHERE lead_id = ?1 AND (creado_en, 1, n) > (?2, ?3, ?4)
ORDER BY creado_en, clase, n LIMIT ?5
