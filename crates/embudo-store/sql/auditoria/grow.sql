UPDATE auditoria SET despues = :despues WHERE id = :id
