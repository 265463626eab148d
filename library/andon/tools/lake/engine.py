"""DuckDB over a copy of the lake: the table `events`, as Athena has it, and Trino's functions by their names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import duckdb

from andon.recorded.lake import EVENTS
from andon.stores.lake.queries import COLUMNS, PARTITIONS, TABLE, Question
from andon.tools.lake.table import TextTable

SPILLED: Final = "spilled"
"""The folder of what a query has no memory for."""

# Trino's name and parameters -> the same in DuckDB's SQL. Times are UTC in both.
MACROS: Final = {
    "json_extract_scalar(json, path)": "json_extract_string(json, path)",
    "from_unixtime(seconds)": "make_timestamp(CAST(round(seconds * 1e6) AS BIGINT))",
    "to_unixtime(moment)": "epoch(moment)",
    "from_iso8601_timestamp(text)": "CAST(rtrim(text, 'Z') AS TIMESTAMP)",
    "to_iso8601(moment)": "strftime(moment, '%Y-%m-%dT%H:%M:%S.%gZ')",
    "day_of_week(moment)": "isodow(moment)",
    "approx_percentile(number, share)": "quantile_disc(number, share)",
}


def connect(lake: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection whose table `events` is the objects below a folder, as they lie in the bucket.

    It reads and writes files in that folder alone, whatever a query says.
    """
    connection, folder = duckdb.connect(), lake.resolve()
    for signature, body in MACROS.items():
        connection.execute(f"CREATE MACRO {signature} AS {body}")
    connection.execute(f"CREATE VIEW {TABLE} AS {_events_in(folder)}")
    connection.execute(f"SET temp_directory = {_quoted(folder / SPILLED)}")
    connection.execute(f"SET allowed_directories = [{_quoted(folder)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def ask(connection: duckdb.DuckDBPyConnection, question: Question, values: Mapping[str, str]) -> TextTable:
    """Run a query; `values`: of all of its parameters.

    Raises:
        duckdb.Error: it is wrong.

    """
    sql = question.with_parameters(lambda name: f"${name}")
    used = {name: value for name, value in values.items() if f"${name}" in sql}
    cursor = connection.execute(sql, used)
    return TextTable([column[0] for column in cursor.description], cursor.fetchall())


def _events_in(lake: Path) -> str:
    columns = ", ".join(f"'{member}': 'VARCHAR'" for member in COLUMNS.values())
    partitions = ", ".join(f"'{name}': VARCHAR" for name in PARTITIONS)
    names = ", ".join([f'"{member}" AS {column}' for column, member in COLUMNS.items()] + list(PARTITIONS))
    files = _quoted(lake / EVENTS / "*" / "*" / "*.ndjson.gz")
    return f"""
        SELECT {names} FROM read_json({files}, format = 'newline_delimited', columns = {{{columns}}},
            hive_partitioning = true, hive_types = {{{partitions}}})
    """  # noqa: S608  made of constants, and of a path with its quotes doubled


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
