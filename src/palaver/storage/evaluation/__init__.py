"""What the evaluation server stores. Functions take a connection, as everywhere in storage."""
