"""A participant's visit: who they are, what they see, what they answer."""
