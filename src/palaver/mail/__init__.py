"""Letters by mail: the server they go to, how one is written out and sent, and the outbox worked off."""
