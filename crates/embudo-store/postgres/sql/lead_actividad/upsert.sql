INSERT INTO lead_actividad (
    lead_id, empresa_id, actividad_en, usuario_en, turno_en, turno_rol, llamada_en, emitido_en, limite_en, mano_en, cerrado, viable,
    accion, accion_en
)
SELECT * FROM unnest(
    $1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::timestamptz[], $8::timestamptz[],
    $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::boolean[], $13::text[], $14::timestamptz[]
)
ON CONFLICT (lead_id) DO UPDATE SET
    actividad_en = excluded.actividad_en, usuario_en = excluded.usuario_en, turno_en = excluded.turno_en,
    turno_rol = excluded.turno_rol, llamada_en = excluded.llamada_en, emitido_en = excluded.emitido_en,
    limite_en = excluded.limite_en, mano_en = excluded.mano_en, cerrado = excluded.cerrado, viable = excluded.viable,
    accion = excluded.accion, accion_en = excluded.accion_en
