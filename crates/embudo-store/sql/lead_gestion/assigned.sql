SELECT g.asignado_id
FROM lead_gestion g
WHERE g.lead_id = coalesce((SELECT u.principal_id FROM lead_union u WHERE u.lead_id = :lead), :lead)
