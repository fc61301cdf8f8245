"""Programs that run in an environment of somebody else and speak with Palaver in JSON lines."""
