-- Keeps the state of a deleted job with the reply that it sent.
UPDATE mensaje SET trabajo_estado = :estado WHERE id = :trabajo
