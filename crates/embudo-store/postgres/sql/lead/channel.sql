-- The name of the notification channel for leads that changed. It contains the schema, as in trabajo/channel.sql.
SELECT 'embudo_leads_' || to_hex(hashtext(coalesce(current_schema(), ''))::bigint & 4294967295)
