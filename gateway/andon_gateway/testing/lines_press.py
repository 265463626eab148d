"""A press that says its values by lines: its oil gets too hot, then cold enough again."""

import sys
from pathlib import Path
from typing import Final

_PROGRAM: Final = """
import json, signal, time
for oil in (60, 81, 78, 74):
    print(json.dumps({"timestamp": int(time.time() * 1000), "values": {"Oil": oil, "Stop": False}}), flush=True)
    time.sleep(0.02)
signal.pause()
"""
_CONFIGURATION: Final = """
[andon]
url = "%(url)s"
token_file = "token"
health_port = 0
[[source]]
name = "line"
kind = "lines"
run = ["%(python)s", "%(program)s"]
[[machine]]
id = "plant-press"
source = "line"
values = { oil = "Oil", stop = "Stop" }
states = [
  { is = "ERROR", when = "stop" },
  { is = "WARNING1", when = "oil > 80", until = "oil < 75", detail = "oil at {oil:.0f} °C" },
  { is = "NORMAL" },
]
"""


def configured(folder: Path, url: str) -> str:
    """Write a token and the program of the press; return the configuration of a gateway that reports to an API.

    It reports NORMAL, WARNING1 and NORMAL.
    """
    (folder / "token").write_text("an admin's")
    program = folder / "plc.py"
    program.write_text(_PROGRAM)
    return _CONFIGURATION % {"url": url, "python": sys.executable, "program": program}
