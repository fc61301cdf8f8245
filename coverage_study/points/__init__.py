"""The design points, one module per kind of procedure."""
