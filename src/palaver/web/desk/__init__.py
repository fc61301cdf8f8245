"""The researcher's desk: who is signed in, and what its pages are filled with."""
