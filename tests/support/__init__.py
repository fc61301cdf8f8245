"""What tests share: servers, databases and participants that are the real thing."""
