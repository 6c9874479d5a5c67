#!/bin/sh
# external observer that stops who watches over it
sleep 47 &
setsid sleep 48 &
kill -STOP "$PPID"
sleep 49
