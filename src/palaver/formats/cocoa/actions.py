"""The moves of CoCoA's games by their names, which are ours as well."""

SELECT, OFFER, ACCEPT, REJECT, QUIT = "select", "offer", "accept", "reject", "quit"
