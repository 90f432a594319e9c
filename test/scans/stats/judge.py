"""Counts scans with DuckDB: `judge.py SCANS CODES ZONE` prints JSON. SCANS is NDJSON, CODES is CSV with slug, campaign and destination.

`all`: scans per value of each dimension. `compared`: October 2024 with September, each row as
[value, scans, share, previous, change, per_day, previous_per_day].
"""

import json
import sys

import duckdb

scans, codes, zone = sys.argv[1:4]
UNITS = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
RECURRING = {"hour": "%H", "weekday": "%A"}
VALUES = ["country", "city", "device", "os", "browser", "referrer"]
FULL = {"day": "1", "week": "7", "month": "max(day(last_day(date)))"}

db = duckdb.connect()
db.sql("set enable_progress_bar = false")
types = {"id": "BIGINT", "ts": "TIMESTAMPTZ", **{name: "VARCHAR" for name in ["qr_slug", *VALUES]}}
columns = ", ".join(f"{name}: '{kind}'" for name, kind in types.items())
db.sql(f"create table raw as select * from read_json('{scans}', columns={{{columns}}}, format='newline_delimited')")
db.sql(f"create table codes as select * from read_csv('{codes}', all_varchar=true)")
db.sql(f"""
create table scans as
select raw.*, timezone('{zone}', ts) as local, qr_slug as code, campaign,
  nullif(regexp_extract(destination, '[?&]utm_source=([^&#]*)', 1), '') as utm_source,
  nullif(regexp_extract(destination, '[?&]utm_campaign=([^&#]*)', 1), '') as utm_campaign
from raw left join codes on qr_slug = slug
""")
db.sql("""
create table dates as select unnest(generate_series(date '2024-09-01', date '2024-10-31', interval 1 day))::date as date
""")

found = {"all": {}, "compared": {}}
GROUPS = [*VALUES, "code", "campaign", "utm_source", "utm_campaign"]
LABELS = {**{by: f"strftime(local, '{form}')" for by, form in {**UNITS, **RECURRING}.items()}, **{by: by for by in GROUPS}}
for by, label in LABELS.items():
    found["all"][by] = db.sql(f"select {label}, count(*) from scans group by 1").fetchall()

IN_TIME = "local >= date '2024-09-01' and local < date '2024-11-01'"
TOTAL = "(select count(*) from scans where local >= date '2024-10-01' and local < date '2024-11-01')"


def compare(averages, extra="true"):
    """The columns of a row from scans, previous, days and previous_days."""
    now, before = ("scans / days", "previous / previous_days") if averages else ("scans", "previous")
    return f"""
      scans, scans / {TOTAL}, previous,
      case when least(scans, previous) >= 30 and {extra} then ({now}) / ({before}) - 1 end,
      scans / days, previous / previous_days"""


for by in GROUPS:
    found["compared"][by] = db.sql(f"""
      with counts as (
        select {by} as value, 31 as days, 30 as previous_days,
          count(*) filter (local >= date '2024-10-01') as scans, count(*) filter (local < date '2024-10-01') as previous
        from scans where {IN_TIME} group by 1)
      select value, {compare(True)} from counts
    """).fetchall()

for by, form in RECURRING.items():
    days = "count(*)" if by == "weekday" else "1"
    of_date = f"strftime(date, '{form}')" if by == "weekday" else "lpad(hour::varchar, 2, '0')"
    hours = "" if by == "weekday" else ", unnest(range(24)) as hours(hour)"
    found["compared"][by] = db.sql(f"""
      with days as (
        select {of_date} as value,
          count(*) filter (date >= date '2024-10-01') as days, count(*) filter (date < date '2024-10-01') as previous_days
        from dates{hours} group by 1),
      counts as (
        select strftime(local, '{form}') as value,
          count(*) filter (local >= date '2024-10-01') as scans, count(*) filter (local < date '2024-10-01') as previous
        from scans where {IN_TIME} group by 1)
      select value, {compare(True)} from
        (select value, days, previous_days, coalesce(scans, 0) as scans, coalesce(previous, 0) as previous
         from days left join counts using (value))
    """).fetchall()

for by, form in UNITS.items():
    units = f"""
      select strftime(date, '{form}') as unit, month(date) as month, count(*) as days, count(*) = {FULL[by]} as is_whole,
        row_number() over (partition by month(date) order by min(date)) as place,
        (select count(*) from scans where strftime(local, '{form}') = strftime(min(dates.date), '{form}')
           and month(local) = month(min(dates.date)) and {IN_TIME}) as scans
      from dates group by 1, 2"""
    found["compared"][by] = db.sql(f"""
      with units as ({units}),
      counts as (
        select now.unit as value, now.scans, now.days, before.scans as previous, before.days as previous_days,
          now.is_whole and before.is_whole as are_whole
        from (select * from units where month = 10) as now left join (select * from units where month = 9) as before using (place))
      select value, {compare(True, "are_whole")} from counts
    """).fetchall()

print(json.dumps(found))
