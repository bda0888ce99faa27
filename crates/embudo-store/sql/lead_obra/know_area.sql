-- The area of the lead is no longer an estimate.
UPDATE lead_obra SET m2_estimado = NULL WHERE lead_id = :lead AND m2_estimado IS NOT NULL
