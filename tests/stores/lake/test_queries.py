"""The saved queries' files: they are Trino's SQL, say what they have to be told, and count doubled lines once."""

import re

import pytest
import sqlglot
from sqlglot import expressions

from andon.stores.lake import queries


@pytest.mark.parametrize("name", queries.names())
def test_a_saved_query_parses_as_trino_in_its_file_and_as_it_runs(name: str) -> None:
    for text in ((queries.FOLDER / f"{name}.sql").read_text(), queries.saved(name).with_parameters(lambda _: "?")):
        parsed = sqlglot.parse_one(text, read="trino")
        assert isinstance(parsed, expressions.Select)
    for shared in queries.SHARED:
        sqlglot.parse_one(queries.shared_sql(shared), read="trino")


@pytest.mark.parametrize("name", queries.names())
def test_a_saved_query_reads_the_lake_through_the_table_that_has_each_fact_once(name: str) -> None:
    body = sqlglot.parse_one((queries.FOLDER / f"{name}.sql").read_text(), read="trino")

    used = {table.name for table in body.find_all(expressions.Table)} - {
        cte.alias for cte in body.find_all(expressions.CTE)
    }
    assert used <= set(queries.SHARED)


@pytest.mark.parametrize("name", queries.names())
def test_a_saved_query_has_a_title_and_describes_exactly_the_parameters_that_it_uses(name: str) -> None:
    question = queries.saved(name)

    assert question.title.endswith((".", "?"))
    described = [parameter.name for parameter in question.parameters]
    assert set(re.findall(r"(?<![\w:']):(\w+)", question.sql)) == set(described)
    assert len(described) == len(set(described))
    assert {"since", "until"} <= set(described)


def test_values_are_written_so_that_no_quote_ends_them() -> None:
    sql = queries.saved("story").literal({"equipment": "it's '; DROP TABLE events --"})

    parsed = sqlglot.parse_one(sql, read="trino")
    assert "it's '; DROP TABLE events --" in {literal.this for literal in parsed.find_all(expressions.Literal)}


def test_a_question_of_ones_own_gets_the_shared_tables_that_it_names() -> None:
    assert queries.question("SELECT * FROM events").sql == "SELECT * FROM events"
    assert queries.question("SELECT * FROM events").parameters == ()

    own = queries.question("with mine as (SELECT 1 FROM runs) SELECT * FROM mine;")

    parsed = sqlglot.parse_one(own.sql, read="trino")
    assert [cte.alias for cte in parsed.find_all(expressions.CTE)] == ["facts", "runs", "mine"]


def test_what_looks_like_a_parameter_and_is_none_stays() -> None:
    sql = "SELECT CAST(1 AS varchar), '10:30' AS a, ':b', x::int FROM events"

    assert queries.question(sql).with_parameters(lambda _: "?") == sql


def test_a_parameter_that_is_missing_or_unknown_is_named() -> None:
    question = queries.saved("story")

    with pytest.raises(ValueError, match="equipment is missing"):
        question.values({})
    with pytest.raises(ValueError, match="no parameter x"):
        question.values({"equipment": "press-7", "x": "1"})
    with pytest.raises(KeyError):
        queries.saved("shared/facts")
