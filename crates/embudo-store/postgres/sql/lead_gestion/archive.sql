-- Archives leads ($1, their companies $2).
INSERT INTO lead_gestion (lead_id, empresa_id, archivado_en, archivado_por, archivado_motivo)
SELECT l.lead_id, l.empresa_id, $3::timestamptz, $4::uuid, $5::text
FROM unnest($1::uuid[], $2::uuid[]) AS l (lead_id, empresa_id)
ON CONFLICT (lead_id) DO UPDATE SET
    archivado_en = excluded.archivado_en, archivado_por = excluded.archivado_por, archivado_motivo = excluded.archivado_motivo
