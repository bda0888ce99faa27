-- The lead of a job, if this process holds it.
SELECT lead_id, empresa_id FROM trabajo WHERE id = :id::uuid AND arrendado_por = :quien::uuid AND estado = 'pendiente'
