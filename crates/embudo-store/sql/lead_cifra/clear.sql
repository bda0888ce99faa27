DELETE FROM lead_cifra
