-- Where the work is done; NULL: not known.
ALTER TABLE lead_obra ADD COLUMN direccion text;

-- Who of the company wrote down an answer that the client gave by telephone, and what they noted; NULL: the client answered themselves.
ALTER TABLE presupuesto_respuesta ADD COLUMN apuntado_por text;
ALTER TABLE presupuesto_respuesta ADD COLUMN apuntado_nota text;
ALTER TABLE respuesta_bloqueada ADD COLUMN apuntado_por text;
ALTER TABLE respuesta_bloqueada ADD COLUMN apuntado_nota text;
