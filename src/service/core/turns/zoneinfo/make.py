"""Says what Python's zoneinfo makes of the wall times of 10,000 cases, and who is on call in the schedules beside it.

Run it in this folder: python3 make.py. It writes walls.txt and shifts.txt, which the tests of turns read.
"""

import json
import random
from bisect import bisect_right
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

UTC = timezone.utc
MINUTE = timedelta(minutes=1)


def instant(naive, zone):
    """The first moment of a wall time; the end of the gap where there is none. zoneinfo counts that one as if the clocks had not changed."""
    aware = naive.replace(tzinfo=ZoneInfo(zone), fold=0)
    found = aware.astimezone(UTC)
    if found.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == naive:
        return found
    while found.astimezone(ZoneInfo(zone)).replace(tzinfo=None) > naive and offset(found, zone) == offset(found - MINUTE, zone):
        found -= MINUTE
    return found


def offset(at, zone):
    return at.astimezone(ZoneInfo(zone)).utcoffset()


def changes_of(zone, years):
    """The minutes at which the offset changes."""
    at, end = datetime(years[0], 1, 1, tzinfo=UTC), datetime(years[1], 1, 1, tzinfo=UTC)
    found = []
    step = timedelta(days=4)
    while at < end:
        if offset(at, zone) != offset(at + step, zone):
            early, late = at, at + step
            while late - early > MINUTE:
                middle = early + (late - early) // MINUTE // 2 * MINUTE
                early, late = (middle, late) if offset(middle, zone) == offset(at, zone) else (early, middle)
            found.append(late)
        at += step
    return found


# Releases of the time zones differ in what was decreed lately, so most zones have cases of settled years only.
SETTLED = 2021
LASTING = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago")


def walls(zones, per_zone, chance):
    for zone in zones:
        end = 2037 if zone in LASTING else SETTLED
        changes = changes_of(zone, (1990, end))
        cases = []
        for _ in range(per_zone * (20 if zone in LASTING else 1)):
            if changes and chance.random() < 0.8:
                near = chance.choice(changes).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
                naive = near + chance.randint(-180, 180) * MINUTE
            else:
                naive = datetime(1990, 1, 2) + chance.randint(0, (end - 1991) * 365 * 1440) * MINUTE
            wall = int((naive - datetime(1970, 1, 1)) / MINUTE)
            utc = int((instant(naive, zone) - datetime(1970, 1, 1, tzinfo=UTC)) / MINUTE)
            cases.append(f"{wall}:{wall - utc}")
        yield f"{zone} {' '.join(cases)}"


def naive_at(day, clock):
    return datetime.combine(day, time.fromisoformat(clock))


def starts_of(layer, until):
    """The starts of the turns around `until`, and the number of the first."""
    count, unit = layer["every"]["count"], layer["every"]["unit"]
    anchor = date.fromisoformat(layer["anchor"])
    first = -(24 * 500 // count) if unit == "hour" else -500
    starts = []
    for turn in range(first, 24 * 500):
        if unit == "month":
            months = anchor.year * 12 + anchor.month - 1 + turn * count
            year, month = months // 12, months % 12 + 1
            last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
            naive = naive_at(date(year, month, min(anchor.day, last)), layer["at"])
        else:
            naive = naive_at(anchor, layer["at"]) + turn * count * timedelta(**{unit + "s": 1})
        starts.append(instant(naive, layer["timeZone"]))
        if starts[-1] > until:
            return starts, first
    return starts, first


def is_within(layer, at):
    if not layer["hours"]:
        return True
    today = at.astimezone(ZoneInfo(layer["timeZone"])).date()
    for day in (today - timedelta(days=n) for n in range(-1, 3)):
        for hours in layer["hours"]:
            if ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[day.weekday()] not in hours["days"]:
                continue
            end = day if hours["to"] > hours["from"] else day + timedelta(days=1)
            zone = layer["timeZone"]
            if instant(naive_at(day, hours["from"]), zone) <= at < instant(naive_at(end, hours["to"]), zone):
                return True
    return False


def shifts(schedule, changes):
    """Who is on call from three days before to three days after each change of the clocks, minute by minute."""
    zones = {layer["timeZone"] for layer in schedule["layers"]}
    turns = [starts_of(layer, datetime(2027, 12, 31, tzinfo=UTC)) for layer in schedule["layers"]]
    for change in sorted({at for zone in zones for at in changes[zone]}):
        last = object()
        at = change - timedelta(days=3)
        while at < change + timedelta(days=3):
            person = None
            for layer, (starts, first) in zip(schedule["layers"], turns):
                if person is None and is_within(layer, at):
                    turn = bisect_right(starts, at) - 1 + first
                    person = layer["people"][turn % len(layer["people"])]
            if person != last:
                yield f"{at:%Y-%m-%dT%H:%MZ} {person or '-'}"
                last = person
            at += 15 * MINUTE
        yield f"{at:%Y-%m-%dT%H:%MZ} end"


def main():
    zones = sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/"))
    with open("walls.txt", "w") as file:
        file.write("\n".join(walls(zones, 10_000 // len(zones) + 1, random.Random(44))) + "\n")
    with open("schedules.json") as file:
        schedules = json.load(file)
    used = {layer["timeZone"] for schedule in schedules for layer in schedule["layers"]}
    changes = {zone: changes_of(zone, (2027, 2028)) for zone in used}
    with open("shifts.txt", "w") as file:
        for schedule in schedules:
            file.write("\n".join([f"# {schedule['name']}", *shifts(schedule, changes)]) + "\n")


main()
