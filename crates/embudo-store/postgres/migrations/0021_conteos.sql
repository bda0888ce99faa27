-- How often something happened for somebody in a window of time, shared by all processes. Same table as on SQLite. `sujeto` is a keyed
-- hash: no address, telephone or e-mail is kept here.
CREATE TABLE conteo (
    tipo text NOT NULL,
    sujeto uuid NOT NULL,
    ventana bigint NOT NULL,
    n bigint NOT NULL,
    expira_en timestamptz NOT NULL,
    PRIMARY KEY (tipo, sujeto, ventana)
);
CREATE INDEX conteo_expira ON conteo (expira_en);
