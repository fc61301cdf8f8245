"""Models that look for a mutual friend: graphs of tables, networks that copy from them, agents."""
