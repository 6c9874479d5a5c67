#!/bin/sh
# external observer that kills who watches over it
sleep 47 &
kill -9 "$PPID"
sleep 49
