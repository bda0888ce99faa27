-- The companies of leads. The query adds which leads.
SELECT lead_id, empresa_id FROM lead_etapa
