DELETE FROM tarifa WHERE empresa_id = :empresa AND version = :version
