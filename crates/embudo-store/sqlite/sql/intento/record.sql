-- ?1 lead_id, ?2 id, ?3 canal, ?4 numero_intento, ?5 resultado, ?6 completado, ?7 duracion_seg, ?8 notas,
-- ?9 metadata, ?10 creado_en. No row: there is no such lead.
INSERT INTO intento (
    id, empresa_id, lead_id, canal, numero_intento, resultado, completado, duracion_seg, notas, metadata, creado_en
)
SELECT ?2, empresa_id, id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM lead WHERE id = ?1
