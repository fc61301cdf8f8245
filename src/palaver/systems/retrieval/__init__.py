"""The stored text that is nearest to a given one: words counted, weighted, searched, kept in files."""
