INSERT INTO lead_actividad (
    lead_id, empresa_id, actividad_en, usuario_en, turno_en, turno_rol, derecho_en, llamada_en, visita_pedida_en, revisar_en, visita_en, emitido_en, limite_en, mano_en, etapa, viable,
    canal, contactado, contestado, accion, accion_en,
    nuevo_en, aceptado_en, hablado_en, propuesta, urgente, puntuacion, rango, vence_en, parte, orden_en
)
SELECT * FROM unnest(
    :lead::uuid[], :empresa::uuid[], :actividad_en::timestamptz[], :usuario_en::timestamptz[], :turno_en::timestamptz[], :turno_rol::text[], :derecho_en::timestamptz[], :llamada_en::timestamptz[], :visita_pedida_en::timestamptz[], :revisar_en::timestamptz[], :visita_en::timestamptz[], :emitido_en::timestamptz[],
    :limite_en::timestamptz[], :mano_en::timestamptz[], :etapa::text[], :viable::boolean[], :canal::text[], :contactado::boolean[], :contestado::boolean[], :accion::text[], :accion_en::timestamptz[],
    :nuevo_en::timestamptz[], :aceptado_en::timestamptz[], :hablado_en::timestamptz[], :propuesta::boolean[], :urgente::boolean[], :puntuacion::bigint[], :rango::bigint[], :vence_en::timestamptz[], :parte::bigint[], :orden_en::timestamptz[]
)
ON CONFLICT (lead_id) DO UPDATE SET
    actividad_en = excluded.actividad_en, usuario_en = excluded.usuario_en, turno_en = excluded.turno_en,
    turno_rol = excluded.turno_rol, derecho_en = excluded.derecho_en, llamada_en = excluded.llamada_en, visita_pedida_en = excluded.visita_pedida_en, revisar_en = excluded.revisar_en, visita_en = excluded.visita_en, emitido_en = excluded.emitido_en,
    limite_en = excluded.limite_en, mano_en = excluded.mano_en, etapa = excluded.etapa, viable = excluded.viable,
    canal = excluded.canal, contactado = excluded.contactado, contestado = excluded.contestado, accion = excluded.accion, accion_en = excluded.accion_en,
    nuevo_en = excluded.nuevo_en, aceptado_en = excluded.aceptado_en, hablado_en = excluded.hablado_en, propuesta = excluded.propuesta, urgente = excluded.urgente, puntuacion = excluded.puntuacion, rango = excluded.rango, vence_en = excluded.vence_en, parte = excluded.parte, orden_en = excluded.orden_en
