"""Writes what follows from the packages of a project: samples, and what it keeps of openapi.json and AGENTS.md."""

from andon.project import project
from andon.tools.in_process import agents, openapi, samples


def main() -> None:
    """Write all of it anew."""
    samples.write()
    if openapi.DOCUMENT.is_file():
        openapi.DOCUMENT.write_text(openapi.text())
    if (project().root / agents.AGENTS).is_file():
        agents.write(project().root)


if __name__ == "__main__":
    main()
