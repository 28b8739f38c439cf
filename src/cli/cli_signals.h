/* Signals: results that nobody reads, files that may not grow, and temporary files when the user gives up. */
#ifndef HRY_CLI_SIGNALS_H
#define HRY_CLI_SIGNALS_H

void cli_signals_start(void);

/* Takes away the outputs that are open and not complete. A signal handler may call it. */
void cli_drop_temporaries(void);

#endif
