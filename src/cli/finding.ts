/** One result of `doctor`. */
export interface Finding {
  readonly subject: string;
  readonly isWell: boolean;
  /** The state and, if something is wrong, what to do. Contains no secret. */
  readonly sentence: string;
}

/** Renders one line per finding. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ subject, isWell, sentence }) => {
      const line = sentence.replace(/\s+/g, ' ').trim();
      return `${isWell ? 'ok   ' : 'WRONG'}  ${subject.padEnd(8)}  ${line}`;
    })
    .join('\n');
}
