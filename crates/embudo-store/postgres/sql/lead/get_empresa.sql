SELECT empresa_id FROM lead WHERE id = :lead::uuid
