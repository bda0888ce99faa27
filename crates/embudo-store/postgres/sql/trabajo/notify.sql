SELECT pg_notify('embudo_trabajos_' || to_hex(hashtext(coalesce(current_schema(), ''))::bigint & 4294967295), '')
