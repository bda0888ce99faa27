-- Accepted work of a company that takes place between two days, with the client's name. Etapa and name are looked up
-- row by row, so that no planner reads all leads for them.
SELECT w.lead_id, w.nombre, w.obra_inicio, w.obra_fin, w.asignado_id, w.etapa
FROM (
    SELECT
        g.lead_id, g.obra_inicio, g.obra_fin, g.asignado_id,
        (SELECT e.etapa FROM lead_etapa e WHERE e.lead_id = g.lead_id) AS etapa,
        (SELECT l.nombre FROM lead l WHERE l.id = g.lead_id) AS nombre
    FROM lead_gestion g
    WHERE g.empresa_id = :empresa AND g.obra_inicio >= :since AND g.obra_inicio < :to AND g.obra_fin >= :from
) w
WHERE w.etapa IN (:aceptado, :en_obra, :terminado)
ORDER BY w.obra_inicio, w.lead_id
LIMIT :limit
