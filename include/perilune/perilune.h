/// @file perilune.h
/// The perilune C API: embed the observer host in a program of yours. This header is all you
/// need.
#ifndef PERILUNE_PERILUNE_H
#define PERILUNE_PERILUNE_H

#include "perilune/base.h"
#include "perilune/host.h"
#include "perilune/record.h"

#endif
