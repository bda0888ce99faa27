DELETE FROM rendicion WHERE lead_id = :lead::uuid AND foto_id = :foto::uuid
