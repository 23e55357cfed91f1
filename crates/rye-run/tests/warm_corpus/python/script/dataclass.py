import dataclasses
import enum
import typing


@dataclasses.dataclass(order=True)
class Item:
    name: str
    tags: "typing.List[str]" = dataclasses.field(default_factory=list)


class Colour(enum.Enum):
    RED = 1


print(Item("a") < Item("b"), dataclasses.asdict(Item("c", ["d"])), Colour.RED, typing.get_type_hints(Item))
