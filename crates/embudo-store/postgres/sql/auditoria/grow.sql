UPDATE auditoria SET despues = :despues::text WHERE id = :id::uuid
