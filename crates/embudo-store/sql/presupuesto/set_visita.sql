UPDATE presupuesto SET visita_en = :now, visita_nota = :nota WHERE id = :id
