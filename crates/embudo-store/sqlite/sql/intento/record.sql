-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO intento (
    id, empresa_id, lead_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en
)
VALUES (:id, (SELECT empresa_id FROM lead WHERE id = :lead), :lead, :canal, :numero_intento, :resultado, :completado, :duracion_seg, :notas, :metadata, :now)
