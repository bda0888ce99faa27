-- Reminders to clients.

-- Quotes that may be reminded of, by when they were issued.
CREATE INDEX presupuesto_emitido ON presupuesto (empresa_id, estado, emitido_en, id);
-- Where mail to clients is paused, reminders are too.
INSERT INTO pausa (empresa_id, tipo, desde, quien)
SELECT empresa_id, 'recordatorio', desde, quien FROM pausa WHERE tipo = 'correo_cliente';
