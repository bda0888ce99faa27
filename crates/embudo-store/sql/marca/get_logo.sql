SELECT logo FROM marca WHERE empresa_id = :empresa
