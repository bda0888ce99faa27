INSERT INTO nota (id, empresa_id, lead_id, texto, zona, creado_en) SELECT :id, empresa_id, id, :texto, :zona, :now FROM lead WHERE id = :lead
