-- A mark or trace that is there gives way: the new mark has a number of its own.
INSERT OR REPLACE INTO blob_marca (lead_id, huella, creado_en) VALUES (?1, ?2, ?3)
