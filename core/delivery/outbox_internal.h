// Shared by the files of core/delivery/ only.
#ifndef PERI_DELIVERY_OUTBOX_INTERNAL_H
#define PERI_DELIVERY_OUTBOX_INTERNAL_H

#include "delivery/outbox.h"

/// The name of the frame's tag.
extern const peri_str peri__frame_tag;

#endif
