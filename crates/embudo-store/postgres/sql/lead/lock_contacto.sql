-- The contact data as it is, locked until it is corrected.
SELECT nombre, telefono, telefono_e164, email, email_normal, provincia
FROM lead
WHERE id = :lead::uuid
FOR NO KEY UPDATE
