/** The output of a command such as `keys` or `doctor`. */
export interface CommandResult {
  /** Standard output, for programs and files. */
  readonly output: string;
  /** Standard error, for the person at the terminal; null: nothing. */
  readonly notice: string | null;
  /** The command ran and found a problem: the process exits with 1. */
  readonly hasFailed?: boolean;
}

export interface VerbDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}
