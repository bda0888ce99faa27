SELECT logo FROM marca WHERE empresa_id = $1::uuid
