INSERT INTO lead_gestion (lead_id, empresa_id, obra_inicio, obra_dias, obra_fin, obra_progreso)
VALUES (:lead, :empresa, :inicio, :dias, :fin, :progreso)
ON CONFLICT (lead_id) DO UPDATE SET
    obra_inicio = excluded.obra_inicio, obra_dias = excluded.obra_dias, obra_fin = excluded.obra_fin, obra_progreso = excluded.obra_progreso
