DELETE FROM rendicion WHERE lead_id = :lead AND foto_id = :foto
