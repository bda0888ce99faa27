SELECT lead_id FROM presupuesto WHERE id = :id::uuid
