"""`palaver submit`: a participant's side of a challenge: check a file, submit it, look after entries."""

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from palaver.cli.evaluation.endpoint_options import GivenEndpoint, takes_endpoint, told_of
from palaver.cli.evaluation.model_choice import called_task
from palaver.cli.evaluation.submit_words import (
    checked_lines,
    entry_lines,
    probed_lines,
    submitted_lines,
)
from palaver.cli.options import IN_FILE, JSON, OUT_FOLDER
from palaver.cli.output import print_json
from palaver.client import Client, ClientError
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import CheckedFile, Entry
from palaver.core.registry import near
from palaver.core.tasks import Example, Task
from palaver.evaluation.challenges.endpoint_entries import TeamEndpoint
from palaver.evaluation.challenges.file_check import (
    check_here,
    item_noun,
    read_gold,
    read_questions,
    told_task,
)

TOKEN = "PALAVER_TOKEN"
# The part of a page's address that stands before the name of a challenge.
PAGES = "challenges"
# From this size on it is shown how much of a file was sent.
LARGE = 4 * 1024 * 1024
ACTS = ("list", "withdraw", "final", "not-final", "download", "terms", "accept")


@click.command("submit")
@click.argument("address", metavar="URL/CHALLENGE")
@click.argument("file", type=IN_FILE, required=False)
@click.option("--track", metavar="TRACK", help="The track that FILE answers.")
@click.option("--run", type=int, metavar="N", help="Its run number. Default: the next free one.")
@click.option("--check", is_flag=True, help="Only check FILE, here; nothing is sent.")
@click.option("--data", type=IN_FILE, help="Check against this file of questions; no gold needed.")
@click.option("--gold", type=IN_FILE, help="Check against this file with gold, and score FILE.")
@click.option(
    "--task",
    "task_name",
    metavar="TASK",
    help="With --data or --gold: a task's name or YAML file, so that no server is asked.",
)
@click.option(
    "--check-on-server", is_flag=True, help="Let the server check FILE; nothing is stored."
)
@click.option("--list", "list_", is_flag=True, help="List what your team has submitted.")
@click.option("--withdraw", metavar="KEY", help="Withdraw an entry.")
@click.option("--final", metavar="KEY", help="Choose an entry as one that counts in the end.")
@click.option("--not-final", metavar="KEY", help="Take that choice back.")
@click.option(
    "--download",
    type=OUT_FOLDER,
    metavar="FOLDER",
    help="Load the questions (of --track, or of all tracks) and the shared files.",
)
@click.option("--terms", is_flag=True, help="Print the terms and their digest.")
@click.option("--accept", metavar="DIGEST", help="Accept the terms with this digest.")
@takes_endpoint
@JSON
def command(
    given: GivenEndpoint,
    address: str,
    file: Path | None,
    track: str | None,
    run: int | None,
    check: bool,
    data: Path | None,
    gold: Path | None,
    task_name: str | None,
    check_on_server: bool,
    list_: bool,
    withdraw: str | None,
    final: str | None,
    not_final: str | None,
    download: Path | None,
    terms: bool,
    accept: str | None,
    as_json: bool,
) -> None:
    """Submit FILE to a track of the challenge at URL/CHALLENGE.

    The token of your team is read from the variable PALAVER_TOKEN. With --check nothing is sent:
    FILE is checked against the questions of --data, or against those that the token loads. The exit
    status is 1 if something is wrong with it.

    With --endpoint the address of a model is registered instead: the server asks it two made-up
    questions at once, and the data of the phase when they are due. With --check it is only tested.
    """
    values = (list_, withdraw, final, not_final, download, terms, accept)
    wanted = [f"--{name}" for name, value in zip(ACTS, values, strict=True) if value]
    place = ChallengePlace.read(address)
    if given.endpoint is not None:
        _check_endpoint_call(file, track, wanted)
        _endpoint(place, given.read(), track or "", run, check or check_on_server, as_json)
        return
    _check_call(file, track, check=check or check_on_server, acts=wanted)
    if check:
        assert file is not None
        assert track is not None
        checked, noun = _checked(place, file, track, data=data, gold=gold, task_name=task_name)
        _say_checked(checked, noun, as_json)
    elif check_on_server:
        assert file is not None
        assert track is not None
        checked = place.client().check_file(place.challenge, track, file)
        _say_checked(checked, "item", as_json)
    elif file is not None:
        assert track is not None
        _submit(place, file, track, run, as_json)
    elif download is not None:
        _download(place, track, download, as_json)
    elif terms or accept:
        _terms(place, accept, as_json)
    elif list_:
        _list(place, as_json)
    else:
        _change(place, withdraw, final or not_final or "", final is not None, as_json)


@dataclass(frozen=True, slots=True)
class ChallengePlace:
    """A server and the name of a challenge on it."""

    url: str
    challenge: str

    @classmethod
    def read(cls, address: str) -> "ChallengePlace":
        """The two parts of an address; that of the challenge's page will do, too."""
        parts = urlsplit(address if "://" in address else f"http://{address}")
        steps = [step for step in parts.path.split("/") if step]
        if PAGES in steps[:-1]:
            before = steps.index(PAGES)
            steps = steps[: before + 2]
            del steps[before]
        if parts.scheme not in ("http", "https") or not parts.netloc or not steps:
            raise InputError(
                "Give the address of the server and the name of the challenge, such as "
                f"https://challenge.example.org/NAME; got '{address[:200]}'."
            )
        *base, challenge = steps
        return cls("/".join([f"{parts.scheme}://{parts.netloc}", *base]), challenge)

    def client(self) -> Client:
        """The server, spoken to with the team's token; InputError if there is none."""
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            raise InputError(
                f"Set {TOKEN} to the token of your team, which was shown when it was registered: "
                f"export {TOKEN}=ps_…"
            )
        return Client(self.url, token)


def _check_call(file: Path | None, track: str | None, *, check: bool, acts: list[str]) -> None:
    if len(acts) > 1 or (acts and (file is not None or check)):
        other = "FILE" if file is not None else acts[1] if len(acts) > 1 else "--check"
        raise click.UsageError(f"One thing at a time: {acts[0]} or {other}.")
    if file is None and not acts:
        raise click.UsageError("Which file? Give FILE, or an option such as --list or --download.")
    if file is not None and track is None:
        raise click.UsageError("Which track does FILE answer? Give --track TRACK.")


def _check_endpoint_call(file: Path | None, track: str | None, acts: list[str]) -> None:
    if file is not None or acts:
        raise click.UsageError(
            f"One thing at a time: --endpoint or {'FILE' if file is not None else acts[0]}."
        )
    if track is None:
        raise click.UsageError("Which track is the endpoint for? Give --track TRACK.")


def _endpoint(
    place: ChallengePlace,
    endpoint: TeamEndpoint,
    track: str,
    run: int | None,
    check: bool,
    as_json: bool,
) -> None:
    """Test an endpoint, or register it."""
    client = place.client()
    how: dict[str, Any] = {"kind": endpoint.kind, "options": endpoint.options}
    if check:
        probed = client.probe_endpoint(place.challenge, track, **how)
        if as_json:
            print_json(probed)
        else:
            click.echo("\n".join(probed_lines(probed)))
        if not probed.answers:
            sys.exit(1)
        return
    entry = client.submit_endpoint_entry(
        place.challenge, track, **how, run=run, **told_of(endpoint)
    )
    if as_json:
        print_json(entry)
        return
    sheet = client.challenge_team(place.challenge)
    click.echo("\n".join(submitted_lines("The endpoint", entry, sheet)))


def _checked(
    place: ChallengePlace,
    file: Path,
    track: str,
    *,
    data: Path | None,
    gold: Path | None,
    task_name: str | None,
) -> tuple[CheckedFile, str]:
    """What FILE is worth, computed here, and what its items are called."""
    if data is not None and gold is not None:
        raise click.UsageError("Give --data (questions alone) or --gold (with gold), not both.")
    if task_name is not None and data is None and gold is None:
        raise click.UsageError("--task needs --data or --gold.")
    task = called_task(task_name, home=None) if task_name else _track_task(place, track)
    examples = _examples(place, task, track, data=data, gold=gold)
    return check_here(task, examples, file, track=track, is_gold=gold is not None), item_noun(task)


def _track_task(place: ChallengePlace, track: str) -> Task:
    """The task of a track, as the server tells it."""
    token = os.environ.get(TOKEN, "").strip()
    shown = Client(place.url, token).challenge(place.challenge)
    tracks = {each.name: each for each in shown.definition.tracks}
    if track not in tracks:
        raise UnknownNameError(
            f"The challenge '{place.challenge}' has no track '{track[:80]}'."
            f"{near(track, tracks)} Tracks: {', '.join(tracks)}."
        )
    return told_task(shown.tasks[tracks[track].task])


def _examples(
    place: ChallengePlace, task: Task, track: str, *, data: Path | None, gold: Path | None
) -> list[Example]:
    if gold is not None:
        return read_gold(task, gold)
    if data is not None:
        return read_questions(task, data)
    with tempfile.TemporaryDirectory(prefix="palaver-submit-") as folder:
        asked = place.client().download_questions(place.challenge, track, folder)
        return read_questions(task, asked)


def _submit(place: ChallengePlace, file: Path, track: str, run: int | None, as_json: bool) -> None:
    client = place.client()
    try:
        entry = _sent(client, place, file, track, run)
    except ClientError as error:
        if error.status == 0:
            raise ClientError(
                f"{error} Submit again: the very same file is not counted twice."
            ) from error
        raise
    if as_json:
        print_json(entry)
        return
    sheet = client.challenge_team(place.challenge)
    click.echo("\n".join(submitted_lines(file.name, entry, sheet)))


def _sent(client: Client, place: ChallengePlace, file: Path, track: str, run: int | None) -> Entry:
    size = file.stat().st_size
    if size < LARGE or not sys.stderr.isatty():
        return client.submit_file(place.challenge, track, file, run=run)
    with click.progressbar(length=size, label=f"Sending {file.name}", file=sys.stderr) as bar:
        return client.submit_file(
            place.challenge,
            track,
            file,
            run=run,
            progress=lambda sent, whole: bar.update(sent - bar.pos),
        )


def _download(place: ChallengePlace, track: str | None, folder: Path, as_json: bool) -> None:
    client = place.client()
    sheet = client.challenge_team(place.challenge)
    shown = client.challenge(place.challenge)
    names = [each.track for each in sheet.tracks]
    if track is not None and track not in names:
        raise UnknownNameError(
            f"The challenge '{place.challenge}' has no track '{track[:80]}'.{near(track, names)} "
            f"Tracks: {', '.join(names)}."
        )
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [each.track for each in sheet.tracks if each.phase and track in (None, each.track)]
    files = [client.download_questions(place.challenge, each, folder) for each in wanted]
    later = []
    for shared in shown.definition.files:
        try:
            files.append(client.download_file(place.challenge, shared.name, folder))
        except ClientError as error:
            # A file that is not out yet keeps nobody from the others.
            if error.status != 403 or not sheet.accepted:
                raise
            later.append(str(error))
    if as_json:
        print_json({"files": [str(each) for each in files], "notes": later})
        return
    for each in files:
        click.echo(f"{each}  {each.stat().st_size:,} bytes")
    for note in later:
        click.echo(note)
    if not files:
        click.echo("Nothing can be loaded now: no phase is open and there are no shared files.")


def _terms(place: ChallengePlace, accept: str | None, as_json: bool) -> None:
    client = place.client()
    if accept is not None:
        sheet = client.accept_challenge_terms(place.challenge, accept)
    else:
        sheet = client.challenge_team(place.challenge)
    if as_json:
        told = {"terms": sheet.terms, "digest": sheet.terms_digest, "accepted": sheet.accepted}
        print_json(told)
    elif accept is not None:
        click.echo(f"'{sheet.team.team}' has accepted the terms of {sheet.title}.")
    elif not sheet.terms:
        click.echo("There are no terms to accept.")
    else:
        click.echo(sheet.terms)
        state = "accepted" if sheet.accepted else "not accepted yet; to accept them:"
        click.echo(f"\nDigest {sheet.terms_digest}, {state}")
        if not sheet.accepted:
            address = f"{place.url}/{place.challenge}"
            click.echo(f"  palaver submit {address} --accept {sheet.terms_digest}")


def _list(place: ChallengePlace, as_json: bool) -> None:
    sheet = place.client().challenge_team(place.challenge)
    if as_json:
        print_json({"entries": sheet.entries, "tracks": sheet.tracks})
    else:
        click.echo("\n".join(entry_lines(sheet)))


def _change(
    place: ChallengePlace, withdraw: str | None, key: str, is_final: bool, as_json: bool
) -> None:
    client = place.client()
    if withdraw is not None:
        entry = client.withdraw_entry(place.challenge, withdraw)
        told = "is withdrawn; it stays counted among your submissions."
    else:
        entry = client.choose_final(place.challenge, key, final=is_final)
        told = "counts in the end." if entry.is_final else "is no longer chosen."
    if as_json:
        print_json(entry)
    else:
        click.echo(f"Run {entry.run} of {entry.track} ({entry.key}) {told}")


def _say_checked(checked: CheckedFile, noun: str, as_json: bool) -> None:
    if as_json:
        print_json(checked)
    else:
        click.echo("\n".join(checked_lines(checked, noun)))
    if not checked.valid:
        sys.exit(1)
