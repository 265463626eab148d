from andon.testing.convergence import converges, view_of
from tests.views.board.stories import EVERYTHING


def test_all_facts_about_one_piece_of_equipment_converge_in_random_batches() -> None:
    converges(view_of("board"), EVERYTHING, limit=1, walks=20)
