-- Waits for transactions that count leads, and keeps others from counting until the commit.
LOCK TABLE lead_cifra IN EXCLUSIVE MODE
