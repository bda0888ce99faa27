SELECT lead_id FROM presupuesto WHERE id = $1::uuid
