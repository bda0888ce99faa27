-- Archives leads of companies.
INSERT INTO lead_gestion (lead_id, empresa_id, archivado_en, archivado_por, archivado_motivo)
SELECT l.lead_id, l.empresa_id, :now::timestamptz, :por::uuid, :motivo::text
FROM unnest(:lead::uuid[], :empresa::uuid[]) AS l (lead_id, empresa_id)
ON CONFLICT (lead_id) DO UPDATE SET
    archivado_en = excluded.archivado_en, archivado_por = excluded.archivado_por, archivado_motivo = excluded.archivado_motivo
