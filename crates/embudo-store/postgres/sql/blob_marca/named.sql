-- Whether something of the lead names the blob: a photo, what was made of one, or a quote's PDF.
SELECT
    EXISTS (SELECT FROM foto f WHERE f.lead_id = $1::uuid AND (f.bytes = $2::bytea OR f.crudo = $2::bytea))
    OR EXISTS (
        SELECT FROM rendicion r
        WHERE r.lead_id = $1::uuid AND (r.copia = $2::bytea OR r.impresion = $2::bytea OR r.miniatura = $2::bytea)
    )
    OR EXISTS (SELECT FROM presupuesto p WHERE p.lead_id = $1::uuid AND p.pdf_huella = $2::bytea) AS hay
