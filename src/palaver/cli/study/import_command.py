"""`palaver import`: projects of other systems as studies, and their finished work in the store."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, IN_FILE, IN_FOLDER, IN_PATH, OUT_FOLDER, OVERWRITE
from palaver.cli.study import import_cocoa, import_dynabench, import_mturk
from palaver.core.labels import section_ending
from palaver.formats.chateval.buckets import Bucket, read_buckets
from palaver.formats.chateval.finished import FinishedWork
from palaver.formats.chateval.names import system_pattern
from palaver.formats.chateval.project import find_project
from palaver.formats.chateval.released import ALL, read_released, read_section, sections_of
from palaver.formats.chateval.states import read_state, state_files
from palaver.formats.cocoa.hits import read_hits
from palaver.formats.cocoa.scenarios import scenarios_by_id
from palaver.formats.cocoa.schema import load_schema
from palaver.formats.dch2 import read_dch2
from palaver.formats.line_problems import LineProblems, decode_document
from palaver.storage import Store
from palaver.studies.file.questions import built_in_question
from palaver.studies.home import find_home
from palaver.studies.intake.chateval import import_project
from palaver.studies.intake.cocoa_files import read_cocoa_files, survey_entries
from palaver.studies.intake.dch2 import take_in
from palaver.studies.intake.dialogue_records import import_records
from palaver.studies.intake.finished_work import Imported, default_salt, import_finished
from palaver.studies.library import question_entry

STUDY = click.option(
    "--study", required=True, metavar="NAME", help="The study that the work is stored under."
)
SALT = click.option(
    "--salt", metavar="TEXT", help="The salt of the pseudonyms. Default: this home's own."
)

SYSTEM_FROM = click.option(
    "--system-from",
    metavar="PATTERN",
    help="A regular expression whose group finds the system in the id of a dialogue. "
    "Default: what follows '(…)_', as in '(440,26)_rerank_blender'.",
)


@click.group("import")
def command() -> None:
    """Import projects and finished work from other systems."""


@command.command("chateval")
@click.argument("folder", type=IN_FOLDER)
@click.option("--conf", required=True, metavar="NAME", help="The configuration of the project.")
@options.output("The folder of the new study.", OUT_FOLDER, metavar="STUDY", required=True)
@OVERWRITE
@click.option(
    "--salt", metavar="TEXT", help="The salt of the pseudonyms. Default: a new one each time."
)
@SYSTEM_FROM
def chateval(
    folder: Path,
    conf: str,
    output: Path,
    overwrite: bool,
    salt: str | None,
    system_from: str | None,
) -> None:
    """Make a study from a ChatEvaluationPlatform project.

    FOLDER is its checkout, or collection_and_annotations in it.
    """
    report = import_project(
        folder, conf, output, overwrite=overwrite, salt=salt, system_from=system_from
    )
    click.echo(report.text())
    click.echo(f"Written to {output}. Next:\n\n  palaver check {output}")


@command.command("chateval-states")
@click.argument("paths", nargs=-1, required=True, type=IN_PATH)
@STUDY
@click.option(
    "--buckets",
    type=IN_PATH,
    metavar="FILE",
    help="annotation_buckets.json, or the project that holds it: what the answers mean.",
)
@SYSTEM_FROM
@SALT
@HOME
def chateval_states(
    paths: tuple[Path, ...],
    study: str,
    buckets: Path | None,
    system_from: str | None,
    salt: str | None,
    home: Path | None,
) -> None:
    """Store finished state.json files of the ChatEvaluationPlatform; folders are searched."""
    tasks = {} if buckets is None else _buckets(buckets)
    files = state_files(list(paths))
    # Everything is read before anything is stored: a broken file stops the import at its start.
    pattern = system_pattern(system_from)
    read = [read_state(file, tasks, system_from=pattern) for file in files]
    _store(read, study=study, salt=salt, home=home)
    click.echo(f"Read {len(files)} files.")
    nameless = _nameless(read)
    if nameless:
        click.echo(
            f"{len(nameless)} judged dialogues have ids that name no system, such as "
            f"'{nameless[0]}', and count as the system 'system'. To tell systems apart, import "
            "into a new study with --system-from PATTERN."
        )


@command.command("abc-eval")
@click.argument("file", type=IN_FILE)
@STUDY
@click.option(
    "--section",
    "sections",
    multiple=True,
    default=("surge_evaluation",),
    metavar="NAME",
    help="A part of the file, or 'all'; may be given several times. Default: surge_evaluation.",
)
@SALT
@HOME
def abc_eval(
    file: Path, study: str, sections: tuple[str, ...], salt: str | None, home: Path | None
) -> None:
    """Store the released data of ABC-Eval (data.json)."""
    project = read_released(file)
    names = sections_of(project) if ALL in sections else list(dict.fromkeys(sections))
    read = [read_section(project, name) for name in names]
    _store(read, study=study, salt=salt, home=home)
    click.echo(f"Read {', '.join(names)}.")
    given = {answer.section: answer.question for each in read for answer in each.answers}
    for section, question in given.items():
        if section is not None and (ending := section_ending(section)):
            click.echo(
                f"Questions of {section} end with '{ending}', as in '{question}': sections are "
                "never counted together."
            )


@command.command("cocoa-hits")
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@STUDY
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="A system that was judged; name all of them where their names or the ids have dashes.",
)
@SALT
@HOME
def cocoa_hits(
    files: tuple[Path, ...],
    study: str,
    systems: tuple[str, ...],
    salt: str | None,
    home: Path | None,
) -> None:
    """Store what workers said of contexts and responses (hits.json of CoCoA's Turk evaluation)."""
    read = [_hits(file, systems) for file in files]
    _store(read, study=study, salt=salt, home=home)


def _hits(file: Path, systems: tuple[str, ...]) -> FinishedWork:
    problems = LineProblems(str(file))
    document = decode_document(file.read_bytes(), problems)
    problems.raise_errors()
    work = read_hits(document, name=file.name, systems=systems)
    for name in dict.fromkeys(answer.question for answer in work.answers):
        question, entry = built_in_question(name), question_entry(name)
        assert question is not None
        assert entry is not None
        work.questions[name], work.entries[name] = question, entry
    return work


@command.command("dch2")
@click.argument("file", type=IN_FILE)
@click.option(
    "--study", required=True, metavar="NAME", help="The study to store it under; made if new."
)
@HOME
def dch2(file: Path, study: str, home: Path | None) -> None:
    """Store the dialogues and annotations of FILE, a DCH-2 data set (JSON or JSON lines).

    Dialogues that the study already has are left alone. Annotators become anonymous raters. Counts
    of annotators become no labels.
    """
    dialogues = read_dch2(file.read_bytes(), name=str(file))
    where = find_home(None, home)
    where.make()
    store = Store(where.database_url)
    try:
        taken = take_in(store, dialogues, study=study, now=time.time(), file=file.name)
    finally:
        store.close()
    click.echo(
        f"Stored {taken.dialogues} dialogues with {taken.labels} labels by {taken.raters} "
        f"anonymous raters in study '{study}'."
    )
    if taken.counted:
        click.echo(
            f"{taken.counted} dialogues have counts instead of annotations. Counts do not tell who "
            f"said what, so they became no labels; score against {file} itself."
        )
    if taken.known:
        click.echo(f"{taken.known} dialogues were already there and were left alone.")
    click.echo(f"Stored in {where.describe()}")


@command.command("cocoa")
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@STUDY
@click.option("--surveys", type=IN_FILE, help="CoCoA's surveys after the chat; a db has its own.")
@click.option(
    "--scenarios",
    type=IN_FILE,
    help="CoCoA's scenarios, for chats without their own; a db has none.",
)
@click.option("--schema", type=IN_FILE, help="CoCoA's schema, which scenarios are held against.")
@click.option("--lenient", is_flag=True, help="Leave out what is wrong; say what.")
@SALT
@HOME
def cocoa(
    files: tuple[Path, ...],
    study: str,
    surveys: Path | None,
    scenarios: Path | None,
    schema: Path | None,
    lenient: bool,
    salt: str | None,
    home: Path | None,
) -> None:
    """Store dialogues of CoCoA with their surveys: examples (JSON), or a chat_state.db.

    What each side said of the other becomes labels of that side. People get pseudonyms.
    """
    known = load_schema(schema) if schema is not None else None
    by_id = scenarios_by_id(scenarios, schema=known) if scenarios is not None else None
    # Everything is read before anything is stored: a broken file stops the import at its start.
    work = read_cocoa_files(files, surveys=surveys, scenarios=by_id, schema=known, lenient=lenient)
    where = find_home(None, home)
    where.make()
    store = Store(where.database_url)
    try:
        done = import_records(
            store,
            study,
            work.dialogues,
            work.labels,
            entries=survey_entries(work.labels),
            salt=salt or default_salt(store),
            now=time.time(),
        )
    finally:
        store.close()
    for line in _summary([done]):
        click.echo(line)
    for why, count in work.left_out.items():
        click.echo(f"Left out, {why}: {count:,}.")
    for mistake in work.mistakes:
        click.echo(f"Wrong and left out: {mistake}")
    click.echo(f"Stored under '{study}' in {where.describe()}.")


def _nameless(read: Iterable[FinishedWork]) -> list[str]:
    """The dialogues that count and whose system nobody knows."""
    judged = (
        (finished, given.dialogue)
        for finished in read
        for given in finished.answers
        if given.purpose == "real"
    )
    return list(
        dict.fromkeys(id for finished, id in judged if not finished.dialogues[id].condition)
    )


def _buckets(path: Path) -> dict[str, Bucket]:
    if not path.is_dir():
        return read_buckets(path)
    project = find_project(path)
    file = project.locate("task_config/annotation_buckets.json")
    return read_buckets(file or project.folder / "annotation_buckets.json")


def _store(
    read: Iterable[FinishedWork], *, study: str, salt: str | None, home: Path | None
) -> None:
    where = find_home(None, home)
    where.make()
    store = Store(where.database_url)
    try:
        chosen = salt or default_salt(store)
        done = [
            import_finished(store, study, finished, salt=chosen, now=time.time())
            for finished in read
        ]
    finally:
        store.close()
    for line in _summary(done):
        click.echo(line)
    click.echo(f"Stored under '{study}' in {where.describe()}.")


def _summary(done: list[Imported]) -> Iterator[str]:
    raters = {rater for each in done for rater in each.raters}
    yield (
        f"Added {sum(each.dialogues for each in done)} dialogues, "
        f"{sum(each.labels for each in done)} labels of {len(raters)} raters, "
        f"{sum(each.results for each in done)} results of training."
    )
    already: Counter[str] = sum((each.already for each in done), Counter())
    if already:
        there = ", ".join(f"{count} {what}" for what, count in already.items())
        yield f"Already there: {there}."
    skipped: Counter[str] = sum((each.skipped for each in done), Counter())
    for reason, count in skipped.most_common():
        yield f"Skipped {count}: {reason}."
    unknown = sorted({name for each in done for name in each.unknown})
    if unknown:
        yield (
            "Labels are stored for questions that the study's own file does not ask: "
            f"{', '.join(unknown)}."
        )


command.add_command(import_cocoa.command)
command.add_command(import_dynabench.command)
for each in import_mturk.COMMANDS:
    command.add_command(each)
