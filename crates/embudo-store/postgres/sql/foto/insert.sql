-- The photos of one ingestion, in the order sent.
INSERT INTO foto (id, lead_id, empresa_id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en)
SELECT f.id, :lead::uuid, :empresa::uuid, f.zona, f.momento, f.orden, f.url, f.prefijo, f.bytes, f.crudo, :now::timestamptz
FROM unnest(
    :id::uuid[], :zona::text[], :momento::text[], :orden::double precision[], :url::text[], :prefijo::text[],
    :bytes::bytea[], :crudo::bytea[]
) WITH ORDINALITY AS f (id, zona, momento, orden, url, prefijo, bytes, crudo, ord)
ORDER BY f.ord
