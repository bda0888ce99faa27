UPDATE presupuesto SET pdf_huella = :huella::bytea, pdf_sha256 = :sha256::bytea, pdf_bytes = :bytes::bigint WHERE id = :id::uuid
