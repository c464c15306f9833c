/** One thing the doctor looked at. */
export interface Finding {
  readonly subject: string;
  readonly isWell: boolean;
  /** What is so; where it is not well, also what to do. Holds no secret. */
  readonly sentence: string;
}

/** One line each. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ subject, isWell, sentence }) => {
      const line = sentence.replace(/\s+/g, ' ').trim();
      return `${isWell ? 'ok   ' : 'WRONG'}  ${subject.padEnd(8)}  ${line}`;
    })
    .join('\n');
}
