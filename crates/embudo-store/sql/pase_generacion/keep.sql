-- A pass that is kept stands beside the passes to the form, with their generation: it opens as long as the two are the same.
INSERT INTO pase_generacion (lead_id, cosa_id, generacion, revocado_en)
SELECT p.lead_id, :pase, p.generacion, :now FROM pase_generacion p WHERE p.lead_id = :lead AND p.cosa_id = :lead
ON CONFLICT (lead_id, cosa_id) DO UPDATE SET generacion = excluded.generacion, revocado_en = excluded.revocado_en
