SELECT id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en FROM foto WHERE lead_id = $1::uuid AND id = $2::uuid
