"""One file per connector: what it takes to talk to it, and to ask it a task's questions."""
