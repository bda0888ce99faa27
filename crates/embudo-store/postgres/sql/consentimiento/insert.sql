-- Consents of a lead, in their order.
INSERT INTO consentimiento (lead_id, empresa_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en)
SELECT
    :lead::uuid, :empresa::uuid, c.finalidad, c.canal, c.texto_version, c.fuente, c.otorgado, c.otorgado_en, :now::timestamptz
FROM unnest(
    :finalidad::text[], :canal::text[], :texto_version::text[], :fuente::text[], :otorgado::boolean[],
    :otorgado_en::timestamptz[]
) WITH ORDINALITY AS c (finalidad, canal, texto_version, fuente, otorgado, otorgado_en, ord)
ORDER BY c.ord
