"""A client of the evaluation server, for notebooks and scripts; it needs no server code."""

from palaver.client.client import Client
from palaver.client.connection import ClientError, WaitError
from palaver.core.evaluation.boards import (
    Board,
    BoardDataset,
    BoardMetric,
    BoardModel,
    Dynascores,
    Measured,
    RankedModel,
    SavedBoard,
    UnrankedModel,
)
from palaver.core.evaluation.datasets import AddedDataset, Dataset, Perturbed
from palaver.core.evaluation.models import AddedModel, Model, ModelSheet, ModelVersion
from palaver.core.evaluation.runs import (
    Job,
    JobFailure,
    Prediction,
    Rescored,
    Run,
    RunScore,
    RunSheet,
    ScoreRow,
    ScoreSheet,
)
from palaver.core.evaluation.submissions import (
    Allowance,
    ListedTeam,
    Submission,
    SubmittedRun,
    Team,
    TeamSheet,
    TeamToken,
)
from palaver.core.evaluation.tasks import AddedTask, Policy, StoredTask, TaskSheet

__all__ = [
    "AddedDataset",
    "AddedModel",
    "AddedTask",
    "Allowance",
    "Board",
    "BoardDataset",
    "BoardMetric",
    "BoardModel",
    "Client",
    "ClientError",
    "Dataset",
    "Dynascores",
    "Job",
    "JobFailure",
    "ListedTeam",
    "Measured",
    "Model",
    "ModelSheet",
    "ModelVersion",
    "Perturbed",
    "Policy",
    "Prediction",
    "RankedModel",
    "Rescored",
    "Run",
    "RunScore",
    "RunSheet",
    "SavedBoard",
    "ScoreRow",
    "ScoreSheet",
    "StoredTask",
    "Submission",
    "SubmittedRun",
    "TaskSheet",
    "Team",
    "TeamSheet",
    "TeamToken",
    "UnrankedModel",
    "WaitError",
]
