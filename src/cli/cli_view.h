/* Some tensors of an open file as a file of their own. */
#ifndef HRY_CLI_VIEW_H
#define HRY_CLI_VIEW_H

#include "cli/cli_rows.h"

/* All metadata, and the tensors of rows in their order. file must stay open until the view is closed. */
hry_status cli_view_open(hry_file *file, const cli_rows *rows, hry_file **view, hry_error *err);

#endif
