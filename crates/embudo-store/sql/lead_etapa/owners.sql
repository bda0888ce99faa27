-- Whose leads are. The query adds which.
SELECT lead_id, empresa_id FROM lead_etapa
