SELECT lead_id, nombre, valor FROM utm
