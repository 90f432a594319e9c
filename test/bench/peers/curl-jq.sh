#!/usr/bin/env bash
# curl with four transfers at a time over kept connections, a hundred pages a call, and jq for each batch.
set -euo pipefail
scans="$QRCTL_BASE_URL/qr/$CODE/scans?limit=500&page="
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
row='.data[] | [.id, .ts, .country, .city, .device, .os, .browser, .referrer] | @csv'
pages=$(curl -sf -H "Authorization: Bearer $QRCTL_API_KEY" "${scans}1" | jq .pagination.pages)
echo 'id,ts,country,city,device,os,browser,referrer' > "$1"
for ((start = 1; start <= pages; start += 100)); do
  end=$((start + 99 < pages ? start + 99 : pages))
  curl -sf --parallel --parallel-max 4 -H "Authorization: Bearer $QRCTL_API_KEY" -o "$directory/#1" "${scans}[$start-$end]"
  (cd "$directory" && jq -r "$row" $(seq "$start" "$end") && rm -f $(seq "$start" "$end")) >> "$1"
done
