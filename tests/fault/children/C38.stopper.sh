#!/bin/sh
# external observer that stops who watches over it
sleep 47 &
kill -STOP "$PPID"
setsid sleep 48 &
sleep 49
