-- The projected facts of leads, and their current etapa. The query adds which leads.
SELECT
    a.lead_id, a.empresa_id, a.actividad_en, a.usuario_en, a.turno_en, a.turno_rol, a.derecho_en, a.llamada_en, a.visita_pedida_en, a.revisar_en, a.visita_en, a.propuesta, a.emitido_en, a.aceptado_en, a.nuevo_en, a.hablado_en, a.limite_en, a.mano_en,
    e.etapa, a.viable, a.canal, a.urgente, a.puntuacion, a.contactado, a.contestado, a.etapa <> e.etapa AS movido
FROM lead_actividad a
JOIN lead_etapa e ON e.lead_id = a.lead_id
