"""A tiny game: each seat has a number of its own and guesses the other's."""
