import datetime
import decimal
import pathlib


def execute(params, project_path):
    return {"path": pathlib.Path("/x"), "day": datetime.date(2020, 1, 2), "amount": decimal.Decimal("1.5"), "set": {1},
            "text": "ü \ud800", "bytes": b"x"}
