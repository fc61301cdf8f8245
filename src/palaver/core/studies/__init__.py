"""The nouns of studies as records: dialogues, visits, raters, progress."""
