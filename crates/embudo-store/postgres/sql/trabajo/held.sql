-- What is needed to end an attempt, if this process holds the job.
SELECT lead_id, empresa_id, tipo, creado_en, intentos
FROM trabajo
WHERE id = $1::uuid AND arrendado_por = $2::uuid AND estado = 'pendiente'
