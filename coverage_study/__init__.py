"""What `make coverage` runs: how often each interval holds the true value, by simulation."""
