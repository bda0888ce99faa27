-- The next action is the first row of a table that holds (embudo_domain::next_action), and the list has a new order: what is due by
-- rank, what will be due, what waits, what needs nobody.

-- Known elsewhere before: nobody has to make the first contact.
ALTER TABLE lead ADD COLUMN importado INTEGER NOT NULL DEFAULT 0;
-- Nothing told imported leads apart until now. Those that nothing ever happened to in a week are taken for such.
UPDATE lead SET importado = 1
WHERE creado_en < (unixepoch() - 7 * 86400) * 1000000
    AND NOT EXISTS (SELECT 1 FROM turno t WHERE t.lead_id = lead.id)
    AND NOT EXISTS (SELECT 1 FROM intento i WHERE i.lead_id = lead.id)
    AND NOT EXISTS (SELECT 1 FROM evento v WHERE v.lead_id = lead.id);

-- When the lead was created, if nobody has written to it or called.
ALTER TABLE lead_actividad ADD COLUMN nuevo_en INTEGER;
-- When a quote was accepted whose work has no day to begin.
ALTER TABLE lead_actividad ADD COLUMN aceptado_en INTEGER;
-- The last attempt that reached the client.
ALTER TABLE lead_actividad ADD COLUMN hablado_en INTEGER;
-- A visit was proposed that nobody has agreed on.
ALTER TABLE lead_actividad ADD COLUMN propuesta INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lead_actividad ADD COLUMN urgente INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lead_actividad ADD COLUMN puntuacion INTEGER;
-- The place in the list. From `vence_en` on it is due, and has its place by `rango`; until then by `parte` and `orden_en`.
ALTER TABLE lead_actividad ADD COLUMN rango INTEGER;
ALTER TABLE lead_actividad ADD COLUMN vence_en INTEGER NOT NULL DEFAULT 253370764800000000;
ALTER TABLE lead_actividad ADD COLUMN parte INTEGER NOT NULL DEFAULT 3;
ALTER TABLE lead_actividad ADD COLUMN orden_en INTEGER NOT NULL DEFAULT 0;
-- Until each lead is projected anew, which an empty `proyeccion` asks for.
UPDATE lead_actividad SET
    accion = CASE WHEN accion = 'visita' THEN 'esperar_visita' ELSE accion END,
    accion_en = CASE WHEN accion = 'visita' THEN 253370764800000000 ELSE accion_en END,
    rango = CASE WHEN accion IS NULL OR accion = 'visita' THEN NULL ELSE 1101 END,
    vence_en = CASE WHEN accion = 'visita' THEN 253370764800000000 ELSE accion_en END,
    parte = CASE WHEN accion IS NULL THEN 3 WHEN accion = 'visita' THEN 2 ELSE 1 END,
    orden_en = CASE WHEN accion IS NULL OR accion = 'visita' THEN actividad_en ELSE accion_en END;
DELETE FROM proyeccion;

DROP INDEX lead_actividad_accion;
DROP INDEX lead_actividad_etapa;
CREATE INDEX lead_actividad_vence ON lead_actividad (empresa_id, rango, vence_en, lead_id);
CREATE INDEX lead_actividad_orden ON lead_actividad (empresa_id, parte, orden_en, lead_id);
CREATE INDEX lead_actividad_etapa_vence ON lead_actividad (empresa_id, etapa, rango, vence_en, lead_id);
CREATE INDEX lead_actividad_etapa_orden ON lead_actividad (empresa_id, etapa, parte, orden_en, lead_id);
