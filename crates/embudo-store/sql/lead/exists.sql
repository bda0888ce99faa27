SELECT EXISTS (SELECT 1 FROM lead WHERE id = :lead) AS found
