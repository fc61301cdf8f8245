"""The files of CoCoA: schemas, scenarios, examples and surveys, and those it was made from."""
