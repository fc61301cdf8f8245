"""How weights are changed: the loop, its steps, what is kept of it, and what one sees of it."""
