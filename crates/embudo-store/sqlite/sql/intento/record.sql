-- ?1 lead_id, ?2 id, ?3 canal, ?4 numero_intento, ?5 resultado, ?6 completado, ?7 duracion_seg, ?8 notas,
-- ?9 metadata, ?10 creado_en. Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO intento (
    id, empresa_id, lead_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en
)
VALUES (?2, (SELECT empresa_id FROM lead WHERE id = ?1), ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
