/**
 * How the parts of a bar are filled: each by a colour and a pattern, so that they are distinguished without colours too.
 * Patterns are looked up by id in the whole page, so each drawing names its own.
 */
const PATTERNS = ['', 'M-2 2 2 -2M0 8 8 0M6 10 10 6', 'M0 4H8', 'M2 2h.01M6 6h.01'] as const;

export function PartFills({ of: drawing, count }: { of: string; count: number }) {
  return (
    <defs>
      {PATTERNS.slice(0, count).map((lines, part) => (
        <pattern id={idOf(drawing, part)} width="8" height="8" patternUnits="userSpaceOnUse">
          <rect class={`part part-${part}`} width="8" height="8" />
          {lines !== '' && <path class="part-lines" d={lines} />}
        </pattern>
      ))}
    </defs>
  );
}

export function fillOf(drawing: string, part: number): string {
  return `url(#${idOf(drawing, part)})`;
}

/** A sample for the legend. */
export function PartSample({ part }: { part: number }) {
  const drawing = `legend-${part}`;
  return (
    <svg class="sample" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <PartFills of={drawing} count={part + 1} />
      <rect width="16" height="16" fill={fillOf(drawing, part)} />
    </svg>
  );
}

function idOf(drawing: string, part: number): string {
  return `part-${part}-${drawing}`;
}
