-- How often something happened for somebody in a window of time, shared by all processes. Same table as on PostgreSQL. `sujeto` is a keyed
-- hash: no address, telephone or e-mail is kept here.
CREATE TABLE conteo (
    tipo TEXT NOT NULL,
    sujeto BLOB NOT NULL,
    ventana INTEGER NOT NULL,
    n INTEGER NOT NULL,
    expira_en INTEGER NOT NULL,
    PRIMARY KEY (tipo, sujeto, ventana)
) STRICT, WITHOUT ROWID;
CREATE INDEX conteo_expira ON conteo (expira_en);
