"""What rye/system/time does."""
__version__ = "1.0.0"
__tool_type__ = "python_lib"
__executor_id__ = None

import re
from datetime import datetime, timezone

# It says so if Python is too old, which comes before what an old one does not have.
from project_files import Refused, tool

from zoneinfo import ZoneInfo, available_timezones


@tool
def execute(params, project):
    if "find_zones" in params:
        wanted = params["find_zones"].casefold().replace(" ", "_")
        return {"zones": sorted(name for name in available_timezones() if wanted in name.casefold())}
    zone = find(params["zone"])
    at = moment(params.get("at"), zone)
    here = at.astimezone(zone)
    names = dict.fromkeys([params["zone"], *params["to"]])
    year, week, _ = here.isocalendar()
    unix = at.timestamp()
    return {
        "utc": at.astimezone(timezone.utc).isoformat(),
        "unix": int(unix) if unix == int(unix) else unix,
        "weekday": here.strftime("%A"),
        "week": f"{year}-W{week:02}",
        "day_of_year": here.timetuple().tm_yday,
        "times": {name: shown(at, find(name)) for name in names},
    }


def find(name):
    if name.upper() in ("UTC", "Z"):
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise Refused(f"there is no time zone `{name}`; look for it with `find_zones`") from None


def moment(value, zone):
    if value is None:
        return datetime.now(timezone.utc).replace(microsecond=0)
    try:
        if isinstance(value, (int, float)):
            return datetime.fromtimestamp(value, timezone.utc)
        # Python before 3.11 knows neither `Z` nor other numbers of digits than three and six.
        text = re.sub(r"[zZ]$", "+00:00", value.strip())
        text = re.sub(r"\.(\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text)
        found = datetime.fromisoformat(text)
        found = found if found.tzinfo else found.replace(tzinfo=zone)
        found.astimezone(timezone.utc)
        return found
    except (ValueError, OverflowError, OSError):
        raise Refused(f"`{value}` is not a time such as `2026-01-31T12:00`, or not one that can be told") from None


def shown(at, zone):
    try:
        there = at.astimezone(zone)
    except OverflowError:
        raise Refused("this time cannot be told in every zone that is asked for") from None
    offset = there.strftime("%z")
    return {"time": there.isoformat(), "offset": f"{offset[:3]}:{offset[3:5]}", "name": there.tzname()}
