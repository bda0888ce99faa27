-- What was projected of leads. The query adds which leads.
SELECT
    lead_id, empresa_id, actividad_en, usuario_en, turno_en, turno_rol, llamada_en, emitido_en, limite_en, mano_en, cerrado, viable
FROM lead_actividad
