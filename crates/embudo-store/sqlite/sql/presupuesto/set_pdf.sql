-- ?1 id, ?2 pdf_huella, ?3 pdf_sha256, ?4 pdf_bytes.
UPDATE presupuesto SET pdf_huella = ?2, pdf_sha256 = ?3, pdf_bytes = ?4 WHERE id = ?1
