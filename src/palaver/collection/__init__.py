"""Live dialogue: rooms, the hub that joins processes, pairing, and who drives the systems."""
