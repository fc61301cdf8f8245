"""Tasks as YAML files: reading them, and the ones that are built in."""
