-- Which lead stands for which. The query adds its conditions.
SELECT lead_id, principal_id FROM lead_union
