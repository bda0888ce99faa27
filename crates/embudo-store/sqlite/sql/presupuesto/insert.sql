-- ?1 id, ?2 lead_id, ?3 empresa_id, ?4 anio, ?5 orden, ?6 version, ?7 estado, ?8 contenido, ?9 total_cents, ?10 emitido,
-- ?11 hasta, ?12 creado_en, ?13 documento.
INSERT INTO presupuesto (
    id, lead_id, empresa_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, documento
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
