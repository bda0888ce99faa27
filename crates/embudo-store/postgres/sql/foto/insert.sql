-- The photos of one ingestion, in the order sent.
INSERT INTO foto (id, lead_id, empresa_id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en)
SELECT f.id, $1::uuid, $2::uuid, f.zona, f.momento, f.orden, f.url, f.prefijo, f.bytes, f.crudo, $3::timestamptz
FROM unnest(
    $4::uuid[], $5::text[], $6::text[], $7::double precision[], $8::text[], $9::text[], $10::bytea[], $11::bytea[]
) WITH ORDINALITY AS f (id, zona, momento, orden, url, prefijo, bytes, crudo, ord)
ORDER BY f.ord
