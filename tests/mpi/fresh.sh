#!/bin/sh
# Removes what an earlier run left at a path, and runs a command with the path as its last argument.
#
# usage: fresh.sh PATH COMMAND...
set -eu
path=$1
shift
rm -rf "$path"
exec "$@" "$path"
