-- Whether a row of the lead names the blob: a photo, a rendition, or the PDF of a quote (also of a blocked one).
SELECT (
    EXISTS (SELECT 1 FROM foto WHERE lead_id = :lead AND (bytes = :huella OR crudo = :huella))
    OR EXISTS (
        SELECT 1 FROM rendicion
        WHERE lead_id = :lead AND (copia = :huella OR impresion = :huella OR miniatura = :huella)
    )
    OR EXISTS (SELECT 1 FROM presupuesto WHERE lead_id = :lead AND (pdf_huella = :huella OR aceptado_huella = :huella))
    OR EXISTS (
        SELECT 1 FROM presupuesto_bloqueado
        WHERE lead_id = :lead AND (pdf_huella = :huella OR aceptado_huella = :huella)
    )
) AS found
