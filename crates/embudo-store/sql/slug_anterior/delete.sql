DELETE FROM slug_anterior WHERE slug = :slug
