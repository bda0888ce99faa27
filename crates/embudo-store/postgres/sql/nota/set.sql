-- One note, in place of what stood under its id.
INSERT INTO nota (id, lead_id, empresa_id, texto, zona, creado_en)
VALUES (:id::uuid, :lead::uuid, :empresa::uuid, :texto::text, :zona::text, :now::timestamptz)
ON CONFLICT (lead_id, id) DO UPDATE SET texto = excluded.texto
