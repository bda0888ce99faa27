-- Writes search texts; an unchanged text is not written again.
INSERT INTO lead_busqueda AS b (lead_id, empresa_id, texto, creado_en)
SELECT * FROM unnest(:lead::uuid[], :empresa::uuid[], :texto::text[], :creado_en::timestamptz[])
ON CONFLICT (lead_id) DO UPDATE SET texto = excluded.texto WHERE b.texto <> excluded.texto
