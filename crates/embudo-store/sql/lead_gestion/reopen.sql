INSERT INTO lead_gestion (lead_id, empresa_id, reabierto_en) VALUES (:lead, :empresa, :now)
ON CONFLICT (lead_id) DO UPDATE SET
    reabierto_en = excluded.reabierto_en, archivado_en = NULL, archivado_por = NULL, archivado_motivo = NULL
