INSERT INTO slug_anterior (slug, empresa_id) VALUES (:slug, :empresa)
