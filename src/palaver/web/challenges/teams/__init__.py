"""Teams of a challenge: registering, handing in, and what came of it."""
