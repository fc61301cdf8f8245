"""The audit trail in the store: entries, checkpoints, and whether the chains hold."""
