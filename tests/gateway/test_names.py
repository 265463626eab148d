"""Names that the gateway derives, and those of the deployment."""

from pathlib import Path

from andon.ingress import fleet
from andon.ingress.names import rule_of, thing_of
from andon_gateway.brokers import Broker, Tls
from andon_gateway.claim import claim_of
from andon_gateway.claim_door import SIGNING, ClaimDoor
from andon_gateway.tables import Table
from services.equipment.things import GATEWAY


def test_its_names_are_those_of_the_deployment(tmp_path: Path) -> None:
    for root in ("Andon", "Andon-prod"):
        tls = Tls(certificate=tmp_path / "own.crt", key=tmp_path / "own.key")
        files = Table({"certificate": "claim.crt", "key": "claim.key"}, "andon.claim")

        claim = claim_of(files, tmp_path, tls=tls, thing=thing_of(root, "gdl-1"), member="press")

        assert claim.template == fleet.template_of(root, GATEWAY) == rule_of(root, GATEWAY)
        assert claim.client == fleet.client_of(root, "")
        asked = ClaimDoor(Broker("localhost", 8883, tls), claim)._parameters  # noqa: SLF001
        assert asked == {fleet.NAME: "gdl-1", fleet.MEMBER: "press"}
    assert SIGNING == fleet.SIGNING
