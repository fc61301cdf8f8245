"""Models that answer questions of a task, by kind of endpoint."""
