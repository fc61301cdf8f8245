"""The people who came: what the panel says of them, ours beside theirs, and what is decided."""
