-- Accepted work of a company that goes on between two days, with whose it is.
SELECT g.lead_id, l.nombre, g.obra_inicio, g.obra_fin, g.asignado_id, e.etapa
FROM lead_gestion g
JOIN lead_etapa e ON e.lead_id = g.lead_id
JOIN lead l ON l.id = g.lead_id
WHERE g.empresa_id = :empresa AND g.obra_inicio >= :since AND g.obra_inicio < :to AND g.obra_fin >= :from
    AND e.etapa IN (:aceptado, :en_obra, :terminado)
ORDER BY g.obra_inicio, g.lead_id
LIMIT :limit
