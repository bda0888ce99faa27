SELECT id FROM lead
