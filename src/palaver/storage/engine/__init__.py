"""How the store works: connections, the writer, prepared statements, copies."""
