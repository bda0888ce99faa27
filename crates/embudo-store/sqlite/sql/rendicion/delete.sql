DELETE FROM rendicion WHERE lead_id = ?1 AND foto_id = ?2
