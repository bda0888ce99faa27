-- Writes no row if there is no such company.
INSERT INTO pertenencia (usuario_id, empresa_id, rol)
SELECT :usuario, empresa.id, :rol FROM empresa WHERE empresa.id = :empresa
