-- Agreed visits that begin soon or are going on. A united lead is named by its principal.
SELECT coalesce(u.principal_id, v.lead_id) AS lead_id, v.inicio
FROM visita v
LEFT JOIN lead_union u ON u.lead_id = v.lead_id
WHERE v.empresa_id = :empresa AND v.inicio > :since AND v.inicio < :until AND v.fin > :now AND v.estado = :confirmada
ORDER BY v.inicio, v.id
LIMIT :limit
