-- Writes no row if this lead has no such photo.
INSERT INTO rendicion (lead_id, foto_id, empresa_id, copia, impresion, ancho, alto, miniatura, motivo, creado_en)
SELECT lead_id, id, empresa_id, :copia, :impresion, :ancho, :alto, :miniatura, :motivo, :creado_en FROM foto WHERE lead_id = :lead AND id = :foto
ON CONFLICT (lead_id, foto_id) DO UPDATE SET
    copia = excluded.copia,
    impresion = excluded.impresion,
    ancho = excluded.ancho,
    alto = excluded.alto,
    miniatura = excluded.miniatura,
    motivo = excluded.motivo,
    creado_en = excluded.creado_en
