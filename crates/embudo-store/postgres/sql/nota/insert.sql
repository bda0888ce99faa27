-- The notes of one ingestion, in the order sent.
INSERT INTO nota (id, lead_id, empresa_id, texto, zona, creado_en)
SELECT n.id, :lead::uuid, :empresa::uuid, n.texto, n.zona, :now::timestamptz
FROM unnest(:id::uuid[], :texto::text[], :zona::text[]) WITH ORDINALITY AS n (id, texto, zona, ord)
ORDER BY n.ord
