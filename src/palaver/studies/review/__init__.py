"""What a study has found out so far."""
