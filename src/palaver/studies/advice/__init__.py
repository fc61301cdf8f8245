"""The live challenge in advice: models are asked, people compare, the board says who is preferred."""
