#!/bin/sh
# cross_root.sh ARCHITECTURE FOLDER: unpacks the libraries that the tests need, as Debian builds them for another
# architecture, into FOLDER. Package lists and downloads stay there too: the system's own are not touched.
set -eu
architecture=$1
folder=$2
[ ! -f "$folder/complete" ] || exit 0
state=$folder/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$folder/debs"
folder=$(cd "$folder" && pwd)
state=$folder/apt
: >"$state/status"
apt() {
    apt-get -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o Dir::State="$state" \
        -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root -qq "$@"
}
apt update || true # what matters is whether the packages are found
cd "$folder/debs"
apt download libcmocka0 libcmocka-dev libyajl2 libyajl-dev zlib1g zlib1g-dev libssl3 libssl-dev
for package in ./*.deb; do
    dpkg -x "$package" "$folder"
done
: >"$folder/complete"
