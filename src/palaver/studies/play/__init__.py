"""Systems at a game without people: self-play, and a person at a terminal."""
