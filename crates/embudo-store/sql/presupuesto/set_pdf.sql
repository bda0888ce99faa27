UPDATE presupuesto SET pdf_huella = :huella, pdf_sha256 = :sha256, pdf_bytes = :bytes WHERE id = :id
