from andon.packages.discovery import source
from andon.testing.imports import imports, imports_that, lookalikes

FORMS = '''"""A docstring, in which a line looks like an import:

from nowhere import nothing
"""

import a, b.c as d  # e
from f import (  # g (h)
    i,
    j as k,  # )
)
from . import l
from ..m import n \\
    as o
if a: import p; import q
try:
    from r import*
except ImportError:
    match a:
        case 1:
            def s():
                import t
'''


def test_imports_are_found_in_all_forms_and_a_line_that_looks_like_one_is_none() -> None:
    found = {"a", "b.c", "f.i", "f.j", ".l", "..m.n", "p", "q", "r.*", "t"}

    assert set(imports(FORMS)) == found
    assert set(lookalikes(FORMS)) == found | {"nowhere.nothing"}
    assert imports_that(lambda name: "n" in name, FORMS) == {"..m.n"}


def test_every_import_of_a_file_looks_like_one() -> None:
    texts = {file: file.read_text() for file, place in source().files() if place.suffix == ".py"}

    assert texts
    assert [file for file, text in texts.items() if not {*imports(text)} <= {*lookalikes(text)}] == []
