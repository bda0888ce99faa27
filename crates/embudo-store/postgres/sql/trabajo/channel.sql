-- The name of the notification channel for jobs. It contains the schema, because all schemas of a database share
-- channels.
SELECT 'embudo_trabajos_' || to_hex(hashtext(coalesce(current_schema(), ''))::bigint & 4294967295)
