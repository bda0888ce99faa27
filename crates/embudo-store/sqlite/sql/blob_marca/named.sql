-- ?1 lead_id, ?2 huella. Whether something of the lead names the blob: a photo, what was made of one, or a quote's PDF.
SELECT
    EXISTS (SELECT 1 FROM foto WHERE lead_id = ?1 AND (bytes = ?2 OR crudo = ?2))
    OR EXISTS (SELECT 1 FROM rendicion WHERE lead_id = ?1 AND (copia = ?2 OR impresion = ?2 OR miniatura = ?2))
    OR EXISTS (SELECT 1 FROM presupuesto WHERE lead_id = ?1 AND pdf_huella = ?2)
