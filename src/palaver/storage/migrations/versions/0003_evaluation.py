"""The evaluation server: tasks, data sets, models, runs, predictions, scores, jobs, boards."""

from alembic import op

from palaver.storage.evaluation.tables import EVALUATION_TABLES
from palaver.storage.schema import metadata

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the new tables."""
    metadata.create_all(op.get_bind(), tables=list(EVALUATION_TABLES))
