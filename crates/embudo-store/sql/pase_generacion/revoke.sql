INSERT INTO pase_generacion (lead_id, cosa_id, generacion, revocado_en)
SELECT l.id, :cosa, 1, :now FROM lead l WHERE l.id = :lead
ON CONFLICT (lead_id, cosa_id) DO UPDATE SET generacion = pase_generacion.generacion + 1, revocado_en = excluded.revocado_en
RETURNING generacion
