"""Prints what becomes of the reports of many machines on AWS, and what it costs; see docs/benchmarks.md."""

import argparse
from pathlib import Path

from andon.cdk.capacity import MODES, PROVISIONED
from andon.cdk.target import LOCAL, TARGETS
from lab.prices import MILLION
from lab.simulate.counted import EVERY_S, Fleet, Way, count
from lab.simulate.model import FleetModel, settings, target_of
from lab.simulate.prediction import Load, predict
from lab.simulate.report import draw, in_stage, on_this_machine, report, table


def main() -> None:
    """Count what a report does, then let the model run."""
    options = _options()
    idle = count(Fleet(machines=0))
    if options.table:
        by_way = {way: count(Fleet.of(way, abnormal=options.abnormal)) for way in Way}
        print("\n".join(table(by_way, idle)))
        return
    fleet = Fleet.of(Way[options.way], abnormal=options.abnormal)
    counted = count(fleet)
    if options.target == LOCAL.name:
        print("\n".join(on_this_machine(FleetModel(counted, idle))))
        return

    def stage_for(load: Load) -> FleetModel:
        return FleetModel(counted, idle, target_of(options.stage, load.rate, capacity=options.capacity))

    load = Load(machines=options.machines, hours=options.hours, spread_s=options.spread)
    model = stage_for(load)
    prediction = predict(model, load)
    print(f"counted: {counted.reports} reports of {fleet.machines} machines, through the real handlers")
    print(in_stage(options.stage, model))
    print(report(model, prediction))
    million = Load(machines=MILLION, hours=1)
    beside = [] if options.machines == MILLION else [predict(stage_for(million), million)]
    draw([prediction, *beside], options.plot)
    print(f"drawn: {options.plot}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make simulate", usage="make simulate MACHINES=60000 HOURS=24 ARGS='…'")
    parser.add_argument("--machines", type=int, default=60_000, help="how many (default: %(default)s)")
    parser.add_argument("--hours", type=float, default=24, help="how long (default: %(default)s)")
    parser.add_argument("--abnormal", type=float, default=0.1, help="share of reports that are not NORMAL")
    ways = ", ".join(f"{way.name}: {way}" for way in Way)
    parser.add_argument("--way", choices=Way.__members__, default=Way.PUT.name, help=f"{ways} (default: %(default)s)")
    parser.add_argument(
        "--spread", type=int, default=EVERY_S, help="on the clock: all report within so many seconds of five minutes"
    )
    parser.add_argument("--table", action="store_true", help="the table of docs/deploy.md, of fleets of several sizes")
    parser.add_argument(
        "--capacity", choices=MODES, default=PROVISIONED, help="of steady tables (default: %(default)s)"
    )
    parser.add_argument("--target", choices=sorted(TARGETS), default="aws", help="local: what `make up` runs")
    parser.add_argument(
        "--stage", choices=sorted(settings()), default="prod", help="of cdk.json (default: %(default)s)"
    )
    parser.add_argument("--plot", type=Path, default=Path(".local/simulate.png"), help="(default: %(default)s)")
    options = parser.parse_args()
    if not 1 <= options.spread <= EVERY_S or options.machines < 1 or options.hours <= 0:
        parser.error(f"MACHINES and HOURS are above 0, --spread is from 1 to {EVERY_S}")
    return options


if __name__ == "__main__":
    main()
