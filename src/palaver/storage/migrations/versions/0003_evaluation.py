"""The evaluation server: tasks, data sets, models, runs, predictions, scores, jobs, boards."""

from alembic import op

from palaver.storage.schema import metadata
from palaver.storage.schema.evaluation import EVALUATION_TABLES

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the new tables."""
    metadata.create_all(op.get_bind(), tables=list(EVALUATION_TABLES))
