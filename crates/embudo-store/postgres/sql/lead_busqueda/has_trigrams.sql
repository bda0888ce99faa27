-- pg_available_extensions reads files at the server, so it is read only if there is no index.
SELECT
    to_regclass('lead_busqueda_trigrama') IS NOT NULL AS indexed,
    CASE
        WHEN to_regclass('lead_busqueda_trigrama') IS NOT NULL THEN true
        ELSE EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')
    END AS available
