#!/bin/sh
# Within `unshare -rnm`: a network of its own, in which addresses of the public internet are this machine's, and a name server that answers
# what the tests want. Nothing of it is seen outside. Usage: network.sh COMMAND…
set -e
ip link set lo up
for address in 5.5.0.1/16 10.0.0.1/32 192.168.1.1/32 169.254.169.254/32 100.64.0.1/32; do ip addr add "$address" dev lo; done
for address in 2a00:1450::1/128 2a00:1450::2/128 fd00::1/128; do ip -6 addr add "$address" dev lo nodad; done
resolv=$(mktemp)
printf 'nameserver 5.5.5.53\noptions timeout:1 attempts:1\n' > "$resolv"
mount --bind "$resolv" /etc/resolv.conf
rm -f "$resolv"
exec "$@"
