/** What a command has to say. */
export interface Told {
  /** For a program or a file: standard output. */
  readonly result: string;
  /** For the person at the terminal: standard error. */
  readonly remark: string | null;
  /** It was done, and what it found is not well: the process ends with 1. */
  readonly isAlarming?: boolean;
}
