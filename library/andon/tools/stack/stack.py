"""One deployed stack on an emulator of its own, for `make up` and for the end-to-end tests."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andon.tools.stack import aws, deploy, outputs, users
from andon.tools.stack.api import ApiClient
from andon.tools.stack.emulator import Emulator
from andon.tools.stack.progress import step


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack and the ways to talk to it."""

    outputs: dict[str, str]
    _tokens: dict[tuple[str, str | None, tuple[str, ...]], str] = field(default_factory=dict)

    def token(self, role: str, user: str | None = None, at: tuple[str, ...] = ()) -> str:
        """Return a token of `user` in group `role`, by default its one user, limited to places; it signs in once."""
        if (role, user, at) not in self._tokens:
            self._tokens[role, user, at] = users.token(self.outputs, role, user, at)
        return self._tokens[role, user, at]

    def api(self, role: str, user: str | None = None, at: tuple[str, ...] = ()) -> ApiClient:
        """Return the API as a user sees it, see `token`."""
        return ApiClient(self.outputs["ApiUrl"], token=self.token(role, user, at))

    def client(self, service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
        """Return a boto3 client of the emulator."""
        return aws.client(service, self.outputs["Endpoint"])


def bring_up(home: Path, emulator: Emulator) -> Stack:
    """Deploy to `emulator`, or update what is deployed there."""
    with step("preparing the emulator"):
        deploy.bootstrap(emulator)
    with step("synthesising the stack (cdk synth)"):
        deploy.synthesise(home, emulator)
    outputs.remove(home)  # until this deployment is done nobody can use the last one's
    with step("deploying it (cdk deploy)"):
        deployed = deploy.deploy(home, emulator)
        deploy.apply_what_was_dropped(emulator)
        users.ensure(deployed)
    outputs.write(home, deployed)
    return Stack(deployed)
