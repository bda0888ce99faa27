-- If there is no such lead, `empresa_id` is null, so `OR IGNORE` skips the row.
INSERT OR IGNORE INTO intento (
    id, empresa_id, lead_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en
)
VALUES (:id, (SELECT empresa_id FROM lead WHERE id = :lead), :lead, :canal, :numero_intento, :resultado, :completado, :duracion_seg, :notas, :metadata, :now)
