SELECT pg_notify('embudo_leads_' || to_hex(hashtext(coalesce(current_schema(), ''))::bigint & 4294967295), :texto::text)
