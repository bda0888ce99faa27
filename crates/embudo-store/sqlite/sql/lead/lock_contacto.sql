SELECT nombre, telefono, telefono_e164, email, email_normal, provincia FROM lead WHERE id = ?1
