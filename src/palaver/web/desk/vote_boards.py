"""The boards of votes that a server has read, kept between requests."""

from palaver.studies.review.boards import StudyBoards
from palaver.studies.run.deployment import Deployment


def study_boards(deployment: Deployment) -> StudyBoards:
    """The boards of a deployment; made when they are first needed."""
    if StudyBoards not in deployment.kept:
        deployment.kept[StudyBoards] = StudyBoards(deployment.store)
    boards: StudyBoards = deployment.kept[StudyBoards]
    return boards
