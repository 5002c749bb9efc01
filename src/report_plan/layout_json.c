/* layout_json.c -- a layout as JSON, every degree and choice by its flag's name. */
#include "report_plan/plan_json.h"

void clg_json_layout(clg_json_writer *w, const clg_layout *l) {
    clg_json_open(w, "layout", '{');
    clg_json_add_integer(w, "dp", l->dp);
    clg_json_add_integer(w, "zero", l->zero);
    clg_json_add_integer(w, "hsdp", l->hsdp);
    clg_json_add_integer(w, "tp", l->tp);
    clg_json_add_integer(w, "sp", l->sp);
    clg_json_add_integer(w, "cp", l->cp);
    clg_json_add_string(w, "cp_kind", clg_name_of(clg_context_names, (int)l->cp_kind));
    clg_json_add_integer(w, "ep", l->ep);
    clg_json_add_integer(w, "etp", l->etp);
    clg_json_add_integer(w, "pp", l->pp);
    clg_json_add_integer(w, "vpp", l->vpp);
    clg_json_add_string(w, "schedule", clg_name_of(clg_schedule_names, (int)l->schedule));
    clg_json_add_integer(w, "micro_batch", l->micro_batch);
    clg_json_add_integer(w, "accumulation", l->accumulation);
    clg_json_add_integer(w, "global_batch", l->global_batch);
    clg_json_add_integer(w, "seq", l->seq);
    clg_json_add_string(w, "recompute", clg_name_of(clg_recompute_names, (int)l->recompute));
    clg_json_add_integer(w, "recompute_layers", l->recompute_layers);
    clg_json_add_string(w, "order", clg_name_of(clg_order_names, l->order));
    if (l->split) {
        clg_json_open(w, "stage_layers", '[');
        for (int i = 0; i < l->split_count; i++) clg_json_add_integer(w, NULL, l->split[i]);
        clg_json_close(w, ']');
    }
    clg_json_add_string(w, "precision", clg_name_of(clg_precision_names, (int)l->precision));
    clg_json_add_string(w, "attention", clg_name_of(clg_attention_kernel_names, l->attention));
    clg_json_add_string(w, "optimizer", clg_name_of(clg_optimizer_names, (int)l->optimizer));
    clg_json_add_string(w, "reference", clg_name_of(clg_reference_names, (int)l->reference));
    clg_json_add_bool(w, "offload", l->offload);
    clg_json_open(w, "adapter", '{');
    clg_json_add_string(w, "kind", clg_name_of(clg_adapter_names, (int)l->adapter.kind));
    clg_json_add_integer(w, "rank", l->adapter.rank);
    clg_json_add_string(w, "base_precision", clg_name_of(clg_base_names, (int)l->adapter.base));
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}
