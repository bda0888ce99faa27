-- What the server has is a list of files, and only asked for where it matters.
SELECT
    to_regclass('lead_busqueda_trigrama') IS NOT NULL AS indexed,
    CASE
        WHEN to_regclass('lead_busqueda_trigrama') IS NOT NULL THEN true
        ELSE EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')
    END AS available
