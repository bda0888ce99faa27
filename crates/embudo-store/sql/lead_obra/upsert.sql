INSERT INTO lead_obra (lead_id, {{@name}}) VALUES (:lead, {{:@name}})
ON CONFLICT (lead_id) DO UPDATE SET {{@name = excluded.@name}}
