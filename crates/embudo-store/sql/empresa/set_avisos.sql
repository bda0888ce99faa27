UPDATE empresa SET email_avisos = :email_avisos, avisos = :avisos, avisos_elegidos = :avisos_elegidos WHERE id = :id
