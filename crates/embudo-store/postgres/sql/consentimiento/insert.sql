-- Consents of a lead, in their order.
INSERT INTO consentimiento (lead_id, empresa_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en)
SELECT $1::uuid, $2::uuid, c.finalidad, c.canal, c.texto_version, c.fuente, c.otorgado, c.otorgado_en, $3::timestamptz
FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::timestamptz[])
    WITH ORDINALITY AS c (finalidad, canal, texto_version, fuente, otorgado, otorgado_en, ord)
ORDER BY c.ord
