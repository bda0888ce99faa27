INSERT INTO lead_gestion (lead_id, empresa_id, obra_inicio, obra_progreso) VALUES (:lead, :empresa, :inicio, :progreso)
ON CONFLICT (lead_id) DO UPDATE SET obra_inicio = excluded.obra_inicio, obra_progreso = excluded.obra_progreso
