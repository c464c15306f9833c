import type { Severity } from '../../../contract/resources.ts';

const SHAPES: Readonly<Record<Severity, string>> = {
  critical: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  error: 'M8 .500 15.500 8 8 15.500 .500 8z',
  warning: 'M8 1 15.500 14.500H.500z',
  info: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
};

/** A sign and the word, so that nothing is conveyed by colour alone. */
export function SeverityMark({ severity }: { severity: Severity }) {
  return (
    <span class={`severity severity-${severity}`}>
      <svg class="sign" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={SHAPES[severity]} />
      </svg>
      {severity}
    </span>
  );
}
