SELECT id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en FROM foto WHERE id = $2::uuid AND lead_id = $1::uuid
