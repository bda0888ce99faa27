UPDATE presupuesto SET pdf_huella = $2::bytea, pdf_sha256 = $3::bytea, pdf_bytes = $4::bigint WHERE id = $1::uuid
