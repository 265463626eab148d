from andon.project import Actors, Groups, Project

PROJECT = Project(
    name="Lending",
    title="Lending: who has which book",
    file=__file__,
    groups=Groups(all=("reader", "admin"), admin="admin", reviewers=frozenset({"admin"})),
    subjects=Actors("books", "book", keeps_days=400, cold_after_days=30, lists="Return all that happened to a book."),
)
