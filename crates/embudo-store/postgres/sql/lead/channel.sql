-- The channel of this schema for leads that changed, as for jobs.
SELECT 'embudo_leads_' || to_hex(hashtext(coalesce(current_schema(), ''))::bigint & 4294967295)
