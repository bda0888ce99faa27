DELETE FROM tarifa WHERE empresa_id = :empresa::uuid AND version = :version::text
