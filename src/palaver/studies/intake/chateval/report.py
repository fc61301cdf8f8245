"""What became of a project: mapped, pseudonymised, still to be provided, lost, mended."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
    """The report of one import; every entry is one line of it."""

    source: str = ""
    # (their key, what it became)
    mapped: list[tuple[str, str]] = field(default_factory=list)
    pseudonymised: list[str] = field(default_factory=list)
    unconfigured: list[str] = field(default_factory=list)
    # (their key, why there is nothing like it)
    without: list[tuple[str, str]] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)

    def map(self, theirs: str, ours: str) -> None:
        """Say what a key became."""
        self.mapped.append((theirs, ours))

    def lose(self, theirs: str, why: str) -> None:
        """Say that a key has no equivalent."""
        self.without.append((theirs, why))

    def text(self) -> str:
        """The whole report as Markdown."""
        parts = [
            f"# Imported from {self.source}",
            _section("Mapped", [f"`{theirs}` → {ours}" for theirs, ours in self.mapped]),
            _section("Pseudonymised", self.pseudonymised or ["Nobody: the files name no people."]),
            _section(
                "Still to be provided",
                self.unconfigured or ["Nothing. `palaver serve` can start."],
            ),
            _section(
                "Without equivalent",
                [f"`{theirs}`: {why}" for theirs, why in self.without] or ["Nothing."],
            ),
            _section("Mended", self.mended or ["Nothing applied to this configuration."]),
        ]
        return "\n\n".join(parts) + "\n"


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([f"## {title}", "", *(f"- {line}" for line in lines)])
