"""The nouns of the evaluation server, each declared once: storage, API, client and pages share them."""
