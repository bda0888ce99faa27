-- What leads counted for. The query adds which leads.
SELECT lead_id, empresa_id, datos FROM lead_cifra
