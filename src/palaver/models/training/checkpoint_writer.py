"""Writing the checkpoint of a training: weights, vocabulary, settings, card and curve, all at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from palaver.models.checkpoints.folder import Checkpoint, as_json, write_checkpoint
from palaver.models.learner import DataNote, Learner
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import Recipe
from palaver.models.training.card import CardParts, environment_of, written_card
from palaver.models.training.curve_page import curve_page
from palaver.models.training.places import CARD, CURVE, PAGE, digests
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.processes import Processes
from palaver.models.training.snapshot import TrainingState


class CheckpointWriter:
    """Writes the checkpoint of one training, again and again while it runs."""

    def __init__(
        self, plan: TrainingPlan, learner: Learner, data: Mapping[str, str], processes: Processes
    ) -> None:
        self.plan = plan
        self.learner = learner
        self.data = data
        sections = getattr(learner, "recipe_sections", dict)
        self.recipe = {**plan.recipe.as_json(), **sections()}
        # A learner may keep its weights in another form, and other files beside them.
        self._kept = getattr(learner, "kept_weights", lambda weights: weights)
        self.texts: Mapping[str, str] = getattr(learner, "texts", dict)()
        self.note = learner.note()
        self.parameters = sum(each.numel() for each in learner.network.parameters())
        self.environment = environment_of(plan.device, processes=processes.count)

    def write(
        self,
        state: TrainingState,
        weights: Mapping[str, Tensor],
        *,
        figures: Sequence[MeasuredFigure] = (),
        done: bool = False,
    ) -> None:
        """The weights of the best epoch so far, and all that is told of them."""
        recipe, watched = self.plan.recipe, self.learner.watched
        parts = CardParts(
            name=self.plan.name,
            about=recipe.about,
            recipe=self.recipe,
            note=self.note,
            data=self.data,
            tested=digests(self.plan.test) if done else {},
            rows=state.rows,
            watched=watched,
            best_epoch=state.best_epoch,
            seconds=state.seconds,
            figures=figures,
            parameters=self.parameters,
            environment=self.environment,
        )
        page = curve_page(
            state,
            name=self.plan.name,
            watched=watched,
            epochs=recipe.training.epochs,
            done=done,
        )
        curve = {"watched": watched, "rows": [row.as_json() for row in state.rows]}
        write_checkpoint(
            self.plan.folder,
            settings=settings_of(recipe, parts, finished=done),
            words=self.learner.words(),
            weights=self._kept(weights),
            texts={
                CARD: written_card(parts),
                CURVE: as_json(curve).decode(),
                PAGE: page,
                **self.texts,
            },
        )


def write_ensemble(
    plan: TrainingPlan,
    members: Sequence[Checkpoint],
    figures: Sequence[MeasuredFigure],
    *,
    processes: int,
) -> None:
    """Write what binds the members of an ensemble together."""
    first = members[0].measured
    parts = CardParts(
        name=plan.name,
        about=f"{plan.recipe.about} {len(members)} members, each with another part held out; their "
        "probabilities are averaged.",
        recipe=plan.recipe.as_json(),
        note=note_of(first),
        data=digests(plan.train),
        tested=digests(plan.test) if figures else {},
        rows=(),
        watched="",
        best_epoch=0,
        seconds=sum(float(m.measured.get("seconds", 0)) for m in members),
        figures=figures,
        parameters=sum(int(m.measured.get("parameters", 0)) for m in members),
        environment=environment_of(plan.device, processes=processes),
    )
    settings = {
        **settings_of(plan.recipe, parts, finished=True),
        "members": [m.folder.name for m in members],
    }
    write_checkpoint(plan.folder, settings=settings, texts={CARD: written_card(parts)})


def settings_of(recipe: Recipe, parts: CardParts, *, finished: bool) -> dict[str, Any]:
    """What `settings.json` says of a model."""
    return {
        "palaver": parts.environment["palaver"],
        "model": recipe.model,
        "recipe": dict(parts.recipe),
        "data": dict(parts.data),
        "measured": {
            "finished": finished,
            "watched": parts.watched,
            "best": min((row.measured[parts.watched] for row in parts.rows), default=None),
            "best_epoch": parts.best_epoch,
            "epochs": len(parts.rows),
            "seconds": round(parts.seconds, 3),
            "parameters": parts.parameters,
            "note": {
                "about": parts.note.about,
                "counts": dict(parts.note.counts),
                "licence": parts.note.licence,
            },
            "tested": dict(parts.tested),
            "figures": [
                {name: getattr(each, name) for name in MeasuredFigure.__dataclass_fields__}
                for each in parts.figures
            ],
        },
    }


def note_of(measured: Mapping[str, Any]) -> DataNote:
    """The note on its data that a checkpoint keeps."""
    return DataNote(**measured.get("note", {"about": ""}))
