UPDATE lead_gestion SET archivado_en = NULL, archivado_por = NULL, archivado_motivo = NULL WHERE lead_id = :lead
