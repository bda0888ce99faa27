-- ?1 lead_id, ?2 foto_id, ?3 copia, ?4 impresion, ?5 ancho, ?6 alto, ?7 miniatura, ?8 motivo, ?9 creado_en.
-- No row: this lead has no such photo.
INSERT INTO rendicion (lead_id, foto_id, empresa_id, copia, impresion, ancho, alto, miniatura, motivo, creado_en)
SELECT lead_id, id, empresa_id, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM foto WHERE lead_id = ?1 AND id = ?2
ON CONFLICT (lead_id, foto_id) DO UPDATE SET
    copia = excluded.copia,
    impresion = excluded.impresion,
    ancho = excluded.ancho,
    alto = excluded.alto,
    miniatura = excluded.miniatura,
    motivo = excluded.motivo,
    creado_en = excluded.creado_en
