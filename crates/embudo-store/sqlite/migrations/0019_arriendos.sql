-- What one process at a time does. Same table as on PostgreSQL. `hasta` runs on this database's clock.
CREATE TABLE arriendo (
    nombre TEXT PRIMARY KEY,
    por BLOB NOT NULL,
    hasta INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
