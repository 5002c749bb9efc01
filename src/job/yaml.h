/* yaml.h -- YAML as the tree of base/json.h. */
#ifndef CLG_JOB_YAML_H
#define CLG_JOB_YAML_H

#include "base/json.h"

/* The first document. Anchors, aliases and merge keys are followed; how deep and how large what
 * they make may be is bounded. CLG_BAD_INPUT names line and column. */
clg_status clg_yaml_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error);

#endif
