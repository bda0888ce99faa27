INSERT INTO lead_gestion (lead_id, empresa_id, archivado_en, archivado_por, archivado_motivo)
VALUES (:lead, :empresa, :now, :por, :motivo)
ON CONFLICT (lead_id) DO UPDATE SET
    archivado_en = excluded.archivado_en, archivado_por = excluded.archivado_por, archivado_motivo = excluded.archivado_motivo
