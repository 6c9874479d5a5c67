#!/bin/sh
# Fails if a test reaches out of the project: what a test needs is copied into tests/.
set -eu
cd "$(dirname "$0")/.."
! grep -rnI -e '\.\./shared' tests
