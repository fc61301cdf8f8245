"""A desk whose home has a task with models and data sets in every state."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from palaver.storage.evaluation.runs import set_run
from support.desks import Desk, open_desk
from support.endpoints import LABELS, Question, right_or_wrong, serving
from support.runs import Bench

ITEMS = 40


@dataclass
class TaskDesk:
    """A desk and the bench behind it."""

    desk: Desk
    bench: Bench

    def run(self, model: str, dataset: str) -> Any:
        """A run by the names of its model and its data set."""
        return self.bench.runs()[model, dataset]

    def path(self, model: str, dataset: str) -> str:
        """The address of a run."""
        return f"/desk/tasks/nli/runs/{self.run(model, dataset).key}"

    def change_run(self, model: str, dataset: str, **values: Any) -> None:
        """Put a run into a state, as a worker would."""
        run = self.run(model, dataset)
        self.bench.home.store.write_now(lambda c: set_run(c, run.id, **values))


@contextmanager
def open_task_desk(
    folder: Path, *, name: str = "olga", database: str | None = None
) -> Iterator[TaskDesk]:
    """Somebody signed in at a desk with the task nli and nothing in it."""
    with open_desk(folder, studies=False, database=database) as desk:
        desk.deployment.folder = folder / "home"
        desk.deployment.folder.mkdir(exist_ok=True)
        desk.sign_in(name)
        yield TaskDesk(desk, Bench(desk.deployment.evaluation, folder))


def refusing(question: Question) -> Any:
    """Two answers that the task does not take."""
    if question["uid"] in ("u3", "u7"):
        return {"id": question["uid"], "label": "perhaps <b>not</b>"}
    return {**right_or_wrong(question), "prob": dict(zip(LABELS, (0.5, 0.25, 0.25), strict=True))}


def failing(question: Question) -> Any:
    """What a broken server says."""
    return web.Response(status=500, text="<h1>Oops</h1>", content_type="text/html")


def fill(found: TaskDesk) -> None:
    """One model that is done, one that is refused, one that fails, one that waits."""
    bench = found.bench
    bench.dataset("dev", ITEMS, about="The first items.")
    bench.variants("dev", "robustness", 10)
    with serving() as good, serving(refusing) as odd, serving(failing) as broken:
        bench.model("stub", good.url)
        bench.model("odd", odd.url)
        bench.model("broken", broken.url)
        bench.work()
    bench.model("later", "http://127.0.0.1:9/", headers={"Authorization": "Bearer s3cr3t"})
