"""Who takes part: accounts, participants, raters, visits."""
