-- The channel of this schema: databases do not hear each other, schemas of one database would.
SELECT 'embudo_trabajos_' || to_hex(hashtext(coalesce(current_schema(), ''))::bigint & 4294967295)
