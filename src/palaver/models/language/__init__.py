"""Language models that are trained further: to play our games, to advise, to judge dialogues."""
