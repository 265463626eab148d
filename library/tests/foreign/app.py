from aws_cdk import App, Stack

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.lake import Lake
from andon.cdk.service import Service
from andon.cdk.stores import Archive, Drift, FaultStore, Replays
from andon.cdk.target import Target
from andon.cdk.view import View

app = App()
stack = Stack(app, Target.of(app).stack_name)
hub, api = EventHub(stack), Api(stack)
Service(stack, "loans", hub, api)
View(stack, "borrowed", hub, api)
View(stack, "shelves", hub, api)
for store in (FaultStore, Lake, Archive, Drift, Replays):
    store(stack, hub, api)
hub.close()
app.synth()
