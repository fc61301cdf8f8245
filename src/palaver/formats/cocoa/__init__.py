"""The files of CoCoA: settings, schemas, scenarios, examples and surveys, and those it was made from."""
