INSERT INTO lead_cifra (lead_id, empresa_id, datos)
SELECT * FROM unnest(:lead::uuid[], :empresa::uuid[], :datos::text[])
ON CONFLICT (lead_id) DO UPDATE SET datos = excluded.datos
