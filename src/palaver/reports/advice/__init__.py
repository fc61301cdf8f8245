"""The results of a round of advice: one page, tables, figures, and the lines of the original."""
