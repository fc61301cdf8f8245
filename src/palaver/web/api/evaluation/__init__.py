"""The evaluation server over HTTP: one file per noun, routes and what they answer with."""
