"""Where people come from: local signed links, and panels that append URL parameters."""
