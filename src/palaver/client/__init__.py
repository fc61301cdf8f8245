"""A client of the evaluation server, for notebooks and scripts; it needs no server code."""

from palaver.client.client import Client
from palaver.client.errors import ClientError, WaitError
from palaver.client.results import (
    AddedDataset,
    AddedModel,
    AddedTask,
    Allowance,
    Dataset,
    Model,
    Perturbed,
    Submission,
    SubmittedRun,
    Task,
    TaskHead,
    Team,
    TeamToken,
)
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
from palaver.core.evaluation.runs import Job, JobFailure, Prediction, Run, RunSheet
from palaver.core.evaluation.scores import Rescored, RunScore, ScoreRow, ScoreSheet

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
    "Measured",
    "Model",
    "Perturbed",
    "Prediction",
    "RankedModel",
    "Rescored",
    "Run",
    "RunScore",
    "RunSheet",
    "SavedBoard",
    "ScoreRow",
    "ScoreSheet",
    "Submission",
    "SubmittedRun",
    "Task",
    "TaskHead",
    "Team",
    "TeamToken",
    "UnrankedModel",
    "WaitError",
]
