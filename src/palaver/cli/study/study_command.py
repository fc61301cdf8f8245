"""`palaver study`: whether a study takes people in, its versions, and changing it while it is served."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import click

from palaver.cli.options import HOME, IN_FILE, JSON, STUDY_PATH, study
from palaver.cli.output import print_json, sheet_lines, table_text
from palaver.core.audit import COMMAND
from palaver.core.deadlines import written_moment
from palaver.core.errors import InputError, StudyError
from palaver.core.registry import near
from palaver.core.studies.life import LifeMove, StudyLife
from palaver.core.studies.versions import ForeseenChange, StudyVersion
from palaver.storage import Store
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.disk import read_text
from palaver.studies.file.edits import ConditionPlaces, NewDates, StudyEdit
from palaver.studies.file.reader import load_studies, read_study, study_files
from palaver.studies.home import Home, existing_home
from palaver.studies.review.progress import StudyProgress, read_progress
from palaver.studies.run.life import change_life
from palaver.studies.run.versions import (
    StudyInStore,
    change_stored,
    edit_stored,
    foresee_stored,
    read_diff,
    read_version,
    read_versions,
    study_in_store,
)

STUDY = study()
REASON = click.option(
    "--reason", default="", metavar="WORDS", help="Why; participants do not see it."
)
NOTE = click.option("--note", default="", metavar="WORDS", help="What the change is for.")


@click.group("study")
def command() -> None:
    """Pause, close and change the study at PATH, also while a server serves it.

    A pause holds at once. A server follows a changed file within seconds.
    """


@command.command("show")
@STUDY_PATH
@STUDY
@HOME
@JSON
def show(path: Path, study: str | None, home: Path | None, as_json: bool) -> None:
    """Say whether a study takes people in, how far it is, and which version it is at."""
    with _opened(path, home, study) as (_, found):
        progress = _progress(found)
        if as_json:
            print_json(progress)
            return
        life, latest = progress.life, found.latest
        told = {
            "study": progress.title,
            "state": _state_words(life),
            "why": life.reason,
            "by": life.account,
            "so far": progress.state,
            "opens": "" if life.opens is None else written_moment(life.opens),
            "closes": "" if life.closes is None else written_moment(life.closes),
            "version": f"{latest.number} ({written_moment(latest.time)})",
        }
        click.echo("\n".join(sheet_lines(told, indent="")))


def _move(move: LifeMove, words: str) -> click.Command:
    """The command for one move."""

    def run(path: Path, study: str | None, reason: str, home: Path | None, as_json: bool) -> None:
        with _opened(path, home, study) as (_, found):
            definition = found.definition
            life = found.store.write_now(
                lambda c: change_life(
                    c,
                    found.id,
                    definition.name,
                    definition,
                    move,
                    actor=COMMAND,
                    reason=reason,
                    now=time.time(),
                )
            )
        if as_json:
            print_json(life)
        else:
            click.echo(f"'{definition.name}' is {_state_words(life)}.")

    for option in (JSON, HOME, REASON, STUDY, STUDY_PATH):
        run = option(run)
    return click.command(move, help=words)(run)


command.add_command(
    _move(
        "pause", "Let nobody new begin for now; whoever is inside finishes, others may come back."
    )
)
command.add_command(_move("resume", "Let people begin again in a paused study."))
command.add_command(_move("close", "Let nobody new begin any more; whoever is inside finishes."))
command.add_command(_move("reopen", "Let people begin again in a closed study."))


@command.command("versions")
@STUDY_PATH
@STUDY
@HOME
@JSON
def versions(path: Path, study: str | None, home: Path | None, as_json: bool) -> None:
    """List every file that a study was served with: who made it, when and what for."""
    with _opened(path, home, study) as (_, found):
        listed = found.store.read_now(partial(read_versions, study_id=found.id))
    if as_json:
        print_json(listed)
        return
    head = ("version", "when", "by", "file", "what for")
    click.echo(table_text([head, *map(_row, listed.versions)], names=2))


@command.command("diff")
@STUDY_PATH
@click.argument("old", type=click.IntRange(1))
@click.argument("new", type=click.IntRange(1))
@STUDY
@HOME
@JSON
def diff(
    path: Path, old: int, new: int, study: str | None, home: Path | None, as_json: bool
) -> None:
    """Say what version NEW of a study has that version OLD has not: key by key, then by lines."""
    with _opened(path, home, study) as (_, found):
        told = found.store.read_now(partial(read_diff, study_id=found.id, old=old, new=new))
    if as_json:
        print_json(told)
        return
    click.echo("\n".join((*told.words, "", told.lines)) if told.lines else "They are the same.")


@command.command("apply")
@STUDY_PATH
@click.option("--file", type=IN_FILE, help="The new file; without it the study's own, as edited.")
@click.option("--back-to", type=click.IntRange(1), metavar="N", help="The file of version N.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and do nothing.")
@NOTE
@STUDY
@HOME
@JSON
def apply(
    path: Path,
    file: Path | None,
    back_to: int | None,
    dry_run: bool,
    note: str,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Serve a study with its file as it is now, or with another one, without a restart.

    Refused is what is wrong with the file, and what would spoil collected data.
    """
    if file is not None and back_to is not None:
        raise click.UsageError("--file and --back-to both say which file. Give one of them.")
    with _opened(path, home, study) as (where, found):
        text = _text(found, file, back_to)
        if dry_run:
            foreseen = foresee_stored(found, text)
            _show_foreseen(foreseen, as_json=as_json)
            return
        because = note or ("" if back_to is None else f"back to version {back_to}")
        made = change_stored(found, text, actor=COMMAND, note=because, now=time.time())
        _show_made(made, where, as_json=as_json)


@command.command("places")
@STUDY_PATH
@click.argument("places", nargs=-1, required=True, metavar="CONDITION=NUMBER...")
@click.option(
    "--stage",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Which stage.",
)
@NOTE
@STUDY
@HOME
@JSON
def places(
    path: Path,
    places: tuple[str, ...],
    stage: int,
    note: str,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Set how many conversations conditions of a chat stage are to have; CONDITION=none for no quota."""
    wanted = tuple(_places(each, stage - 1) for each in places)
    _edit(path, home, study, StudyEdit(places=wanted), note, as_json=as_json)


@command.command("raters")
@STUDY_PATH
@click.argument("raters", type=click.IntRange(1))
@click.option("--stage", type=click.IntRange(1), required=True, metavar="N", help="Which stage.")
@NOTE
@STUDY
@HOME
@JSON
def raters(
    path: Path,
    raters: int,
    stage: int,
    note: str,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Set how many raters each sheet of a rate stage gets."""
    _edit(path, home, study, StudyEdit(raters={stage - 1: raters}), note, as_json=as_json)


@command.command("dates")
@STUDY_PATH
@click.option(
    "--opens", metavar="DATE", help='When it opens, as "2026-11-20 09:00"; "" for at once.'
)
@click.option("--closes", metavar="DATE", help='When it closes; "" for never.')
@click.option("--zone", metavar="NAME", help="On whose clocks, such as Europe/Berlin.")
@NOTE
@STUDY
@HOME
@JSON
def dates(
    path: Path,
    opens: str | None,
    closes: str | None,
    zone: str | None,
    note: str,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Set from when to when a study takes people in; what is not given stays."""
    with _opened(path, home, study) as (where, found):
        known = found.definition.dates
        wanted = NewDates(
            opens=str(known.opens or "") if opens is None else opens,
            closes=str(known.closes or "") if closes is None else closes,
            zone=zone or known.zone,
        )
        edit = StudyEdit(dates=wanted)
        made = edit_stored(found, edit, actor=COMMAND, note=note, now=time.time())
        _show_made(made, where, as_json=as_json)


def _edit(
    path: Path, home: Path | None, study: str | None, edit: StudyEdit, note: str, *, as_json: bool
) -> None:
    with _opened(path, home, study) as (where, found):
        made = edit_stored(found, edit, actor=COMMAND, note=note, now=time.time())
        _show_made(made, where, as_json=as_json)


@contextmanager
def _opened(path: Path, home: Path | None, name: str | None) -> Iterator[tuple[Home, StudyInStore]]:
    """The study that is meant, at its latest version, whatever stands on disk now."""
    where = existing_home(path, home)
    store = Store(where.database_url)
    try:
        yield where, _find(store, path, name)
    finally:
        store.close()


def _find(store: Store, path: Path, name: str | None) -> StudyInStore:
    ids = {each.name: each.id for each in store.read_now(list_studies)}
    files = study_files(path)
    # A file that is no YAML right now has no name: then the one that is asked for is meant.
    named = {name: files[0]} if name is not None and len(files) == 1 else {}
    known = {each: file for each, file in _named(files, named) if each in ids}
    if name is None and len(known) != 1:
        if not known:
            raise InputError(
                f"Nothing is stored of the study at {path}. Name the home with --home."
            )
        raise InputError(f"There are several studies at {path}: name one with --study.")
    chosen = name or next(iter(known))
    if chosen not in known:
        raise InputError(f"There is no study '{chosen}' here.{near(chosen, list(known))}")
    served = {}
    # A file may be edited right now; what is served is in the store.
    with suppress(StudyError):
        served = {each.name: each for each in load_studies(path)}
    return study_in_store(store, ids[chosen], known[chosen], served)


def _named(files: Sequence[Path], named: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Study files by their names, also where they are not in order."""
    for file in files:
        try:
            reading = read_study(file)
        except StudyError:
            if not named:
                raise
            yield from named.items()
            continue
        yield (
            reading.study.name if reading.study else str(reading.marked.data.get("name", "")),
            file,
        )


def _text(found: StudyInStore, file: Path | None, back_to: int | None) -> str:
    if back_to is not None:
        return found.store.read_now(
            partial(read_version, study_id=found.id, number=back_to)
        ).definition
    return read_text(file or found.definition.file)


def _progress(found: StudyInStore) -> StudyProgress:
    name = found.definition.name
    served = {name: found.definition}
    return found.store.read_now(lambda c: read_progress(c, served, name))[0]


def _places(given: str, stage: int) -> ConditionPlaces:
    condition, equals, number = given.rpartition("=")
    if not equals or not (number == "none" or (number.isascii() and number.isdecimal())):
        raise click.UsageError(
            f"Say CONDITION=NUMBER, or CONDITION=none for no quota; got '{given}'."
        )
    needed = None if number == "none" else int(number)
    return ConditionPlaces(stage=stage, condition=condition, needed=needed)


def _state_words(life: StudyLife) -> str:
    if life.by_rule and life.state == "open":
        return "stopped by its rule"
    return life.words or "open"


def _row(version: StudyVersion) -> tuple[str, ...]:
    doors = {"server": "a file on disk", "command": "a command"}
    return (
        str(version.number),
        written_moment(version.time),
        version.account or doors.get(version.via, version.via),
        version.digest[:12],
        version.note,
    )


def _show_foreseen(foreseen: ForeseenChange, *, as_json: bool) -> None:
    if as_json:
        print_json(foreseen)
        return
    for line in (*foreseen.words, *map(str, foreseen.problems), *foreseen.refusals):
        click.echo(line)
    if foreseen.same:
        click.echo("This is the file that is served already.")
    else:
        click.echo("This can be applied." if foreseen.possible else "This is refused.")


def _show_made(made: StudyVersion, where: Home, *, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    click.echo(f"Version {made.number} is served from now on.")
    if where.addresses():
        click.echo("A server is running here: it follows within seconds.", err=True)
