-- What became of each quote on its way to the client. Same tables and columns as on PostgreSQL.

-- A quote that is drawn and handed to its deliveries is issued; whether anything arrived is said apart.
UPDATE presupuesto SET estado = 'emitido' WHERE estado = 'enviado';
ALTER TABLE presupuesto RENAME COLUMN enviado_en TO emitido_en;

-- While a delivery's job is kept, the job says how it stands; before it is purged, that is written down here. A simulated delivery
-- has no job, only the id of the one that would have made it.
CREATE TABLE presupuesto_entrega (
    n INTEGER PRIMARY KEY,
    empresa_id BLOB NOT NULL,
    lead_id BLOB NOT NULL,
    presupuesto_id BLOB NOT NULL,
    canal TEXT NOT NULL,
    trabajo_id BLOB NOT NULL UNIQUE,
    simulada INTEGER NOT NULL,
    trabajo_estado TEXT,
    en INTEGER NOT NULL
) STRICT;
CREATE INDEX presupuesto_entrega_lead ON presupuesto_entrega (lead_id);

-- Jobs of before name the quote by its number, or by its PDF's name.
INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT p.empresa_id, p.lead_id, p.id, CASE t.tipo WHEN 'pdf' THEN 'messaging' ELSE 'email' END, t.id, 0, t.creado_en
FROM trabajo t
JOIN presupuesto p ON p.lead_id = t.lead_id AND printf('%04d-%04d', p.anio, p.orden) =
    CASE t.tipo
        WHEN 'pdf' THEN substr(json_extract(t.carga, '$.senal.filename'), 13, length(json_extract(t.carga, '$.senal.filename')) - 16)
        ELSE json_extract(t.carga, '$.numero')
    END
WHERE t.tipo IN ('pdf', 'correo_cliente')
ORDER BY t.creado_en, t.id;
-- A simulated one left an event between the draft and the issue.
INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT p.empresa_id, p.lead_id, p.id, CASE e.tipo WHEN 'pdf' THEN 'messaging' ELSE 'email' END, randomblob(16), 1, max(e.creado_en)
FROM presupuesto p
JOIN evento e ON e.lead_id = p.lead_id AND e.simulado AND e.tipo IN ('pdf', 'correo_cliente')
    AND e.creado_en BETWEEN p.creado_en AND p.emitido_en
GROUP BY p.id, e.tipo;
