INSERT INTO lead_cifra (lead_id, empresa_id, datos) VALUES (:lead, :empresa, :datos)
ON CONFLICT (lead_id) DO UPDATE SET datos = excluded.datos
