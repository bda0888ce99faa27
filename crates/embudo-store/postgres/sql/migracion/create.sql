CREATE TABLE IF NOT EXISTS migracion (numero integer PRIMARY KEY, nombre text NOT NULL, en timestamptz NOT NULL)
