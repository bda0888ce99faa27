SELECT datos, logo_huella FROM marca WHERE empresa_id = :empresa
