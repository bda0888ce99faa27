SELECT lead_id, foto_id, copia, impresion, ancho, alto, miniatura, motivo, creado_en FROM rendicion WHERE lead_id = :lead
