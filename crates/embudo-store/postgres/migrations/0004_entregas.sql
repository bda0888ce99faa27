-- What became of each quote on its way to the client. Same tables and columns as on SQLite.

-- A quote that is drawn and handed to its deliveries is issued; whether anything arrived is said apart.
UPDATE presupuesto SET estado = 'emitido' WHERE estado = 'enviado';
ALTER TABLE presupuesto RENAME COLUMN enviado_en TO emitido_en;

-- While a delivery's job is kept, the job says how it stands; before it is purged, that is written down here. A simulated delivery
-- has no job, only the id of the one that would have made it.
CREATE TABLE presupuesto_entrega (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    empresa_id uuid NOT NULL,
    lead_id uuid NOT NULL,
    presupuesto_id uuid NOT NULL,
    canal text NOT NULL,
    trabajo_id uuid NOT NULL UNIQUE,
    simulada boolean NOT NULL,
    trabajo_estado text,
    en timestamptz NOT NULL
);
CREATE INDEX presupuesto_entrega_lead ON presupuesto_entrega (lead_id);

-- Jobs of before name the quote by its number, or by its PDF's name.
INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT p.empresa_id, p.lead_id, p.id, CASE t.tipo WHEN 'pdf' THEN 'messaging' ELSE 'email' END, t.id, false, t.creado_en
FROM trabajo t
JOIN presupuesto p ON p.lead_id = t.lead_id AND p.anio || '-' || lpad(p.orden::text, greatest(4, length(p.orden::text)), '0') =
    CASE t.tipo
        WHEN 'pdf' THEN substring(t.carga::json #>> '{senal,filename}' FROM 'presupuesto-(.*)[.]pdf')
        ELSE t.carga::json ->> 'numero'
    END
WHERE t.tipo IN ('pdf', 'correo_cliente')
ORDER BY t.creado_en, t.id;
-- A simulated one left an event between the draft and the issue.
INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
SELECT p.empresa_id, p.lead_id, p.id, CASE e.tipo WHEN 'pdf' THEN 'messaging' ELSE 'email' END, gen_random_uuid(), true, max(e.creado_en)
FROM presupuesto p
JOIN evento e ON e.lead_id = p.lead_id AND e.simulado AND e.tipo IN ('pdf', 'correo_cliente')
    AND e.creado_en BETWEEN p.creado_en AND p.emitido_en
GROUP BY p.id, e.tipo;
