#!/bin/sh
# Makes a folder anew, and runs a command with the path of a set in it as the last argument.
#
# usage: fresh.sh FOLDER COMMAND...
set -eu
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
exec "$@" "$folder/run.set"
