"""Models: how they are brought, tried, kept, and asked."""
