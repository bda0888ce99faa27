-- The notes of one ingestion, in the order sent.
INSERT INTO nota (id, lead_id, empresa_id, texto, zona, creado_en)
SELECT n.id, $1::uuid, $2::uuid, n.texto, n.zona, $3::timestamptz
FROM unnest($4::uuid[], $5::text[], $6::text[]) WITH ORDINALITY AS n (id, texto, zona, ord)
ORDER BY n.ord
