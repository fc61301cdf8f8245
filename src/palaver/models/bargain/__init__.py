"""Models that bargain: what agents of words and of acts share."""
