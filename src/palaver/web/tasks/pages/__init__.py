"""What each public page of the evaluation server is given: one frozen dataclass per template."""
