"""Rounds that were held elsewhere: examples and judgements out of a file, as a round of a task
here.

Each session is a finished dialogue of a study that holds nothing else, so that everything which reads
rounds reads these too. Nobody in them is known: writers and validators are anonymous, apart from one
another and from everybody here. What a file says that has no place of its own is kept with its
example. All of it is one transaction, and the same file again adds nothing.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import (
    ExampleVote,
    ImportedRound,
    Round,
    RoundContext,
    RoundModel,
    RoundTerms,
    WrittenExample,
)
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.events import END, RETRACT, VERDICT, Event
from palaver.core.labels import Label
from palaver.core.questions.question import Question
from palaver.core.serial import extended
from palaver.core.tasks import Task
from palaver.core.units import event_unit
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds.contexts import keep_contexts
from palaver.evaluation.rounds.pseudonyms import ANONYMOUS
from palaver.evaluation.tasks import stored_task
from palaver.formats.dynabench.examples import read_export
from palaver.formats.located_json import LocatedRecord, located_records
from palaver.formats.written_examples import ExampleFile, is_own, read_own
from palaver.games.model_in_the_loop.form import form_of, goal_labels
from palaver.games.model_in_the_loop.moves import (
    ANSWER,
    GAME_NAME,
    KEEP,
    MODEL,
    TRY,
    WRITER,
)
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import Occupant, load_dialogue
from palaver.storage.evaluation.imported_votes import OWN_ANSWER, REASON
from palaver.storage.evaluation.imported_votes import VERDICT as SAID
from palaver.storage.evaluation.rounds import add_round, find_round
from palaver.storage.judging.labels import NewLabel
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import NewRater, ensure_raters
from palaver.storage.studies.imports import (
    add_dialogue,
    add_labels,
    ensure_person,
    ensure_visit,
    has_dialogue,
)
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import SLUG
from palaver.studies.file.questions import build_questions
from palaver.studies.intake.made_study import MADE_HERE, made_definition, stored_study

# What validators of an imported round were asked, as entries of a study file.
ASKED: dict[str, Any] = {
    SAID: {
        "kind": "choice",
        "text": "Is the example right?",
        "options": [{"id": said, "text": said} for said in ("correct", "incorrect", "flagged")],
    },
    OWN_ANSWER: {"kind": "text", "text": "What is the right answer?", "required": False},
    REASON: {"kind": "text", "text": "Why?", "required": False},
}
# How many equal judgements settle an example where a file does not say so: as on Dynabench.
MATCHING = 3

State = Literal["closed", "stopped"]


def import_round(
    home: EvaluationHome,
    task_row: StoredTask,
    content: bytes,
    *,
    name: str,
    study: str = "",
    state: State = "closed",
    matching: int | None = None,
    by: Actor,
    now: float,
) -> ImportedRound:
    """Store the examples of a file as a round that is over; `name` is what the file is called.

    A `stopped` one can be closed here, which makes data sets of it. InputError names line and column
    of what is wrong with the file; nothing is stored then.
    """
    task = stored_task(task_row)
    study = study or f"{task_row.name}-written".replace("_", "-")
    if not SLUG.fullmatch(study):
        raise InputError(f"--study takes lower-case letters, digits and '-'; got '{study[:64]}'.")
    found = read_written_file(content, name, task)
    contexts = _contexts(found, task)
    path, digest = keep_contexts(home, task_row.name, contexts)

    def store(connection: Connection) -> ImportedRound:
        importing = _Importing(connection, task_row, task, found, study, name, now)
        known = importing.known_round()
        if known is not None:
            return importing.report(known, is_new=False)
        importing.ensure_study()
        made = add_round(
            connection,
            task_id=task_row.id,
            study_id=importing.study_id,
            stage=0,
            terms=_terms(found, task, matching),
            models=_models(found),
            contexts_path=path,
            contexts_digest=digest,
            contexts=len(contexts),
            state=state,
            now=now,
        )
        importing.keep(made)
        detail = {"round": made.number, "examples": len(found.examples)}
        record(
            connection,
            "loop.import",
            by=by,
            now=now,
            subject=task_row.name,
            study_id=importing.study_id,
            detail=detail,
        )
        return importing.report(made, is_new=True)

    return home.store.write_now(store)


def read_written_file(content: bytes, name: str, task: Task) -> ExampleFile:
    """What a file of either shape holds, with pseudonyms that nobody else has."""
    records = list(located_records(content, name))
    if not records:
        raise InputError(f"{name} holds no examples.")
    if is_own(records[0].value):
        found = read_own(records)
    else:
        _check_export(records[0])
        found = read_export(records, [each.name for each in task.context])
    if not found.examples:
        raise InputError(f"{name} holds no examples.")
    _check_contexts(found, task, name)
    return replace(found, examples=tuple(map(_anonymous, found.examples)))


def _check_export(first: LocatedRecord) -> None:
    if "input_json" not in first.value and "context" not in first.value:
        keys = ", ".join(sorted(first.value)[:8]) or "nothing"
        raise first.wrong(
            "this is no example of a round. An export of Palaver has 'dialogue', 'seq' and 'values', "
            f"one of Dynabench 'context', 'input_json' and 'output_json'; this has {keys}."
        )


def _check_contexts(found: ExampleFile, task: Task, name: str) -> None:
    for example in found.examples:
        missing = [each.name for each in task.context if each.name not in example.values]
        if missing:
            raise InputError(
                f"{name}: the example {example.uid} has no context: '{missing[0]}' is missing. "
                "Nothing was stored."
            )


def _anonymous(example: WrittenExample) -> WrittenExample:
    votes = tuple(replace(vote, rater=_unknown(vote.rater)) for vote in example.votes)
    return replace(example, writer=_unknown(example.writer), votes=votes)


def _unknown(name: str) -> str:
    return name if name.startswith(ANONYMOUS) else f"{ANONYMOUS}{name}"


def _contexts(found: ExampleFile, task: Task) -> tuple[RoundContext, ...]:
    fields = [each.name for each in task.context]
    known: dict[str, RoundContext] = {}
    sessions: dict[str, set[str]] = defaultdict(set)
    for example in found.examples:
        sessions[example.context].add(example.dialogue)
        values = {name: example.values[name] for name in fields}
        metadata = found.contexts.get(example.context, {})
        made = RoundContext(id=example.context, values=values, tag=example.tag, metadata=metadata)
        known.setdefault(example.context, made)
    return tuple(replace(each, quota=len(sessions[name])) for name, each in known.items())


def _terms(found: ExampleFile, task: Task, matching: int | None) -> RoundTerms:
    terms = found.terms
    if terms is None:
        most = max(len(each.votes) for each in found.examples)
        needed = matching or MATCHING
        terms = RoundTerms(
            tries=max(each.number for each in found.examples),
            validators=max(most, needed),
            matching=needed,
            labels=goal_labels(task),
        )
    return terms if matching is None else replace(terms, matching=matching)


def _models(found: ExampleFile) -> tuple[RoundModel, ...]:
    if found.models:
        return tuple(replace(each, version_id=0) for each in found.models)
    names = dict.fromkeys(each.model for each in found.examples)
    return tuple(RoundModel(name=name, version=0) for name in names)


@dataclass(slots=True)
class _Importing:
    connection: Connection
    task_row: StoredTask
    task: Task
    found: ExampleFile
    study: str
    file: str
    now: float
    study_id: int = 0
    visits: dict[str, int] = field(default_factory=dict)

    def known_round(self) -> Round | None:
        """The round that this file became before; InputError where it did so in part."""
        keys = [self._key(source) for source in self._sessions()]
        there = [key for key in keys if has_dialogue(self.connection, key)]
        if not there:
            return None
        if len(there) < len(keys):
            raise InputError(
                f"{len(there)} of the {len(keys)} sessions of {self.file} are in the study "
                f"'{self.study}' already. Import the others alone, or under another --study."
            )
        return find_round(self.connection, self.task_row.id, _number_of(self.connection, keys[0]))

    def report(self, made: Round, *, is_new: bool) -> ImportedRound:
        """What came of it."""
        examples = self.found.examples
        return extended(
            made,
            ImportedRound,
            is_new=is_new,
            examples=len(examples),
            writers=len({each.writer for each in examples}),
            judgements=sum(len(each.votes) for each in examples),
            unknown=self.found.unknown,
        )

    def ensure_study(self) -> None:
        """The study that holds imported rounds; made if there is none."""
        there = stored_study(self.connection, self.study)
        if there is not None and not there.definition.startswith(f"# {MADE_HERE}"):
            raise InputError(
                f"The study '{self.study}' was not made by an import. Name another one: --study NAME"
            )
        definition = made_definition(self.study, ASKED)
        self.study_id = register_study(
            self.connection,
            name=self.study,
            title=self.study,
            digest=hashlib.sha256(definition.encode()).hexdigest(),
            definition=definition,
            now=self.now,
        )

    def keep(self, round_: Round) -> None:
        """Store the sessions and what was said of their examples."""
        said: list[tuple[str, int, ExampleVote]] = []
        for source, examples in self._sessions().items():
            key = self._key(source)
            events = list(_events(examples, self.task))
            seqs = [event.seq for event in events if event.action == TRY]
            self._keep_session(round_, key, source, examples, events)
            said += [
                (key, seq, vote)
                for example, seq in zip(examples, seqs, strict=True)
                for vote in example.votes
                if vote.mode == "user"
            ]
        self._keep_votes(said)

    def _sessions(self) -> dict[str, list[WrittenExample]]:
        """The examples by the session they were written in, in order."""
        sessions: dict[str, list[WrittenExample]] = defaultdict(list)
        for example in self.found.examples:
            sessions[example.dialogue].append(example)
        for examples in sessions.values():
            examples.sort(key=lambda each: each.seq)
        return sessions

    def _key(self, source: str) -> str:
        content = json.dumps([self.study, self.task_row.name, source, self._digest], default=str)
        return f"d_{hashlib.sha256(content.encode()).hexdigest()[:20]}"

    @property
    def _digest(self) -> str:
        """What tells this file from another one whose examples are called the same."""
        first = self.found.examples[0]
        return f"{first.time}:{first.writer}:{first.model}"

    def _keep_session(
        self,
        round_: Round,
        key: str,
        source: str,
        examples: Sequence[WrittenExample],
        events: list[Event],
    ) -> None:
        first = examples[0]
        fields = [each.name for each in self.task.context]
        asked = WritingBrief(
            round=round_.number,
            context_id=first.context,
            context={name: first.values[name] for name in fields},
            tag=first.tag,
            tries=round_.terms.tries,
            form=form_of(self.task),
        )
        add_dialogue(
            self.connection,
            study_id=self.study_id,
            key=key,
            source_id=source,
            source=self.file,
            condition="written",
            group=key,
            position=0,
            scenario=asked.scenario(game=GAME_NAME),
            occupants=(
                Occupant(assignment_id=self._visit(round_, first.writer)),
                Occupant(system=first.model),
            ),
            events=events,
        )

    def _visit(self, round_: Round, writer: str) -> int:
        if writer not in self.visits:
            self.visits[writer] = ensure_visit(
                self.connection,
                study_id=self.study_id,
                participant_id=ensure_person(self.connection, writer, now=self.now),
                name=f"import:r{round_.number}",
                time=self.now,
            )
        return self.visits[writer]

    def _keep_votes(self, said: Sequence[tuple[str, int, ExampleVote]]) -> None:
        questions = build_questions(ASKED).questions
        units = ensure_units(
            self.connection, self.study_id, [event_unit(key, seq) for key, seq, _ in said]
        )
        raters = ensure_raters(
            self.connection,
            [NewRater(vote.rater, "anonymous", self.now) for _, _, vote in said],
        )
        add_labels(
            self.connection,
            [
                NewLabel(
                    label=label,
                    study_id=self.study_id,
                    unit_id=units[label.unit],
                    rater_id=raters[label.rater],
                    assignment_id=None,
                )
                for key, seq, vote in said
                for label in _labels(key, seq, vote, questions, self.now)
            ],
        )


def _number_of(connection: Connection, key: str) -> int:
    """The round that a session of an import belongs to."""
    stored = load_dialogue(connection, key)
    return WritingBrief.of(stored.dialogue.scenario).round


def _events(examples: Sequence[WrittenExample], task: Task) -> Iterator[Event]:
    """A session as it would have been recorded here."""
    seqs: list[int] = []
    for seq, (example, seat, action, data) in enumerate(_moves(examples, task), 1):
        if action == TRY:
            seqs.append(seq)
        if "example" in data:
            data = {**data, "seq": seqs[data["example"]]}
            del data["example"]
        yield Event(seq=seq, seat=seat, action=action, data=data, time=example.time)


Act = tuple[WrittenExample, int | None, str, dict[str, Any]]


def _moves(examples: Sequence[WrittenExample], task: Task) -> Iterator[Act]:
    """What happened, in order; `example` stands for the number of a try."""
    fields = {each.name for each in task.context}
    for example in examples:
        own = {name: said for name, said in example.values.items() if name not in fields}
        sent = {"values": own, "model": example.model, "source": dict(example.source)}
        yield example, WRITER, TRY, sent
        answer = {
            "values": dict(example.answer),
            "wrong": example.wrong,
            "seconds": example.seconds,
            "notes": list(example.notes),
        }
        yield example, MODEL, ANSWER, answer
    last = examples[-1]
    for n, example in enumerate(examples):
        if example.kept:
            why = {"why": example.why, "why_model": example.why_model}
            yield last, WRITER, KEEP, {"number": n + 1, **why}
    yield last, None, END, {"reason": "complete"}
    for n, example in enumerate(examples):
        if example.retracted:
            yield last, WRITER, RETRACT, {"example": n}
        for vote in example.votes:
            if vote.mode == "owner":
                said = {"verdict": vote.verdict, "by": vote.rater, "why": vote.reason}
                yield last, None, VERDICT, {"example": n, **said}


def _labels(
    key: str, seq: int, vote: ExampleVote, questions: Mapping[str, Question], now: float
) -> Iterator[Label]:
    unit = event_unit(key, seq).key
    for name, value in ((SAID, vote.verdict), (OWN_ANSWER, vote.label), (REASON, vote.reason)):
        if value:
            yield Label(
                unit=unit,
                question=name,
                question_version=questions[name].version,
                rater=vote.rater,
                rater_kind="anonymous",
                value=value,
                time=now,
                client_id=f"import:{key}:{seq}:{name}",
            )
