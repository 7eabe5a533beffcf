#!/bin/sh
# Runs an example as its .expected file says, in an empty folder, and compares what it prints.
# A line "$ TEXT" of that file is one run with TEXT as its input; the lines below it are the output.
# usage: run.sh PROGRAM EXPECTED FOLDER
set -eu
program=$1
expected=$2
folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
while IFS= read -r line; do
  case $line in
    '$ '*)
      echo "$line"
      echo "${line#\$ }" | "$program"
      ;;
  esac
done <"$expected" >actual
diff -u "$expected" actual
