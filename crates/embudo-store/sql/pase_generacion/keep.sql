-- Stores for a kept pass the present generation of the passes to the lead's form: it opens the form as long as both are
-- the same.
INSERT INTO pase_generacion (lead_id, cosa_id, generacion, revocado_en)
SELECT p.lead_id, :pase, p.generacion, :now FROM pase_generacion p WHERE p.lead_id = :lead AND p.cosa_id = :lead
ON CONFLICT (lead_id, cosa_id) DO UPDATE SET generacion = excluded.generacion, revocado_en = excluded.revocado_en
