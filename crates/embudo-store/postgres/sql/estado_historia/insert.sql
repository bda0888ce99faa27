INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
SELECT empresa_id, id, :campo::text, :valor::text, :now::timestamptz FROM lead WHERE id = :lead::uuid
