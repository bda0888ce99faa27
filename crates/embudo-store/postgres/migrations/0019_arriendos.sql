-- What one process at a time does. Same table as on SQLite. `hasta` runs on this database's clock.
CREATE TABLE arriendo (
    nombre text PRIMARY KEY,
    por uuid NOT NULL,
    hasta timestamptz NOT NULL
);
