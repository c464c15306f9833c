/**
 * Time to store what a person asks for. Slack waits three seconds for the acknowledgement: after this timeout a form stays
 * open with what was typed in it, and a command is answered that nothing was stored.
 */
export const KEEP_TIMEOUT_MS = 2_000;
