-- What a client takes of a quote, the visit they ask for, and how the work goes afterwards. Same columns as on SQLite.

-- Which options were ticked (JSON, `id` and `concepto` of each), what was agreed to be paid with them, and the version of the text by
-- which the client asked for the work to begin within the days of withdrawal.
ALTER TABLE presupuesto_respuesta ADD COLUMN opciones text;
ALTER TABLE presupuesto_respuesta ADD COLUMN total_cents bigint;
ALTER TABLE presupuesto_respuesta ADD COLUMN inicio_anticipado text;
-- The visit that was asked for last on an orientative quote.
ALTER TABLE presupuesto ADD COLUMN visita_en timestamptz;
ALTER TABLE presupuesto ADD COLUMN visita_nota text;
ALTER TABLE lead_actividad ADD COLUMN visita_pedida_en timestamptz;
-- When accepted work begins, and how far it has come; a person says so.
ALTER TABLE lead_gestion ADD COLUMN obra_inicio date;
ALTER TABLE lead_gestion ADD COLUMN obra_progreso text;
