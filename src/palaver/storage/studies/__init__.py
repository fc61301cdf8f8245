"""Studies, their quotas, and where they are."""
