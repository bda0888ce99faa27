INSERT INTO lead_gestion (lead_id, empresa_id, accion_en, accion_texto, accion_por) VALUES (:lead, :empresa, :cuando, :texto, :por)
ON CONFLICT (lead_id) DO UPDATE SET
    accion_en = excluded.accion_en, accion_texto = excluded.accion_texto, accion_por = excluded.accion_por
