"""The CDK app: `cdk deploy -c stage=dev` for AWS, `cdk deploy -c target=local` for the emulator on this machine."""

from aws_cdk import App

from andon.cdk.checks import nag
from infra.stack import Acorn

app = App()
Acorn(app)
nag.audit(app)
app.synth()
