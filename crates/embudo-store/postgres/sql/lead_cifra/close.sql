-- Nobody counts meanwhile; whoever is counting is waited for.
LOCK TABLE lead_cifra IN EXCLUSIVE MODE
