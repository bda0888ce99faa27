UPDATE presupuesto SET aceptado_huella = :huella, aceptado_sha256 = :sha256, aceptado_bytes = :bytes WHERE id = :id
