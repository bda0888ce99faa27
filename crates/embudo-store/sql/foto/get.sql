SELECT id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en FROM foto WHERE lead_id = :lead AND id = :foto
