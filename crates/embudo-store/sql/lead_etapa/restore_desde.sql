-- If a lead has the same etapa again as before it was archived, the etapa gets back its former date.
UPDATE lead_etapa SET desde = (SELECT g.archivado_desde FROM lead_gestion g WHERE g.lead_id = lead_etapa.lead_id)
WHERE lead_id = :lead
    AND EXISTS (
        SELECT 1 FROM lead_gestion g
        WHERE g.lead_id = lead_etapa.lead_id AND g.archivado_etapa = lead_etapa.etapa AND g.archivado_desde IS NOT NULL
    )
