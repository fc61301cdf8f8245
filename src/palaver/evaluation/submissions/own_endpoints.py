"""An endpoint that somebody who is signed in adds to a task, by whichever door.

Like a team's it is asked over the network and never runs code here. Owners alone may give addresses
inside this network and name variables of the server, as they could on its command line.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.evaluation.models import AddedModel
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.outlook import add_model_told
from palaver.evaluation.submissions.endpoints import check_endpoint


def add_endpoint(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    kind: str,
    options: Mapping[str, Any],
    about: str = "",
    link: str = "",
    tags: Sequence[str] = (),
    published: bool | None = None,
    anonymous: bool | None = None,
    by_owner: bool,
    now: float,
) -> AddedModel:
    """Register an endpoint and plan its runs; InputError if it may not be asked from here."""
    return add_model_told(
        home,
        task_row,
        task,
        name=name,
        kind=kind,
        options=own_options(home, kind, options, by_owner=by_owner),
        about=about,
        link=link,
        tags=tags,
        published=published,
        anonymous=anonymous,
        now=now,
    )


def own_options(
    home: EvaluationHome, kind: str, options: Mapping[str, Any], *, by_owner: bool
) -> dict[str, Any]:
    """The options that an endpoint is asked with; InputError where whoever adds it may not."""
    private = by_owner or home.settings.private_endpoints
    check_endpoint(kind, options, private=private, variables=by_owner)
    return dict(options) if private is True else {**options, "inside": private}
