"""Models that say how annotators would judge a help-desk dialogue, as distributions."""
