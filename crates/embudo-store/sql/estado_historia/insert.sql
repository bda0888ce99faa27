-- Writes no row if there is no such lead.
INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en) SELECT empresa_id, id, :campo, :valor, :now FROM lead WHERE id = :lead
