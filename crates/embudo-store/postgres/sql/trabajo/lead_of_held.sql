-- The lead of a job, if this process holds it.
SELECT lead_id, empresa_id FROM trabajo WHERE id = $1::uuid AND arrendado_por = $2::uuid AND estado = 'pendiente'
