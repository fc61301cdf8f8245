"""The least that a model of a task must beat: the commonest answer, its own context, counted words."""
