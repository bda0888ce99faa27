-- A photo that must not go before the commit.
SELECT empresa_id FROM foto WHERE lead_id = :lead::uuid AND id = :id::uuid FOR KEY SHARE
