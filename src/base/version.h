/* version.h -- the one place that says which ceiling this is. */
#ifndef CLG_BASE_VERSION_H
#define CLG_BASE_VERSION_H

#define CLG_VERSION "0.1.0"

#endif
