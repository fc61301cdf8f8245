"""What all tables belong to: the metadata, its version, and the table of the store's own values."""

from sqlalchemy import BigInteger, Column, Integer, MetaData, Table, Text

# The version of all tables together; the newest migration carries the same number.
SCHEMA_VERSION = 15

# SQLite gives only an INTEGER primary key its fast row id.
Id = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
