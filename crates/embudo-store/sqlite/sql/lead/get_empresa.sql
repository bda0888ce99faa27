SELECT empresa_id FROM lead WHERE id = ?1
