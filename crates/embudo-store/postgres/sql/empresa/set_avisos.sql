UPDATE empresa SET email_avisos = :email_avisos::text, avisos = :avisos::boolean, avisos_elegidos = :avisos_elegidos::text WHERE id = :id::uuid
