import { expect, it } from 'vitest';
import { leaveOneOut, type ResultLine, type Variant } from './choose.ts';

const KINDS = ['errors', 'hang', 'disk full'];

/** Results for one fault of each kind, each in a system of its own. */
function variant(name: string, right: readonly string[], falseIncidents = 0): Variant {
  const faults = KINDS.map((kind): ResultLine => {
    const about = { rightAfterFourMinutes: right.includes(kind), opened: 1 };
    return { system: `with ${kind}`, label: { fault: kind }, ...about };
  });
  const others = KINDS.flatMap((kind) => Array.from({ length: falseIncidents }, () => ({ system: `with ${kind}` })));
  return { name, lines: [...faults, ...others] };
}

const kindOf = ({ label }: ResultLine) => label?.fault ?? null;
const systemOf = ({ system }: ResultLine) => system;

it('judges each kind by the constants that are best on the other kinds', () => {
  const fitted = KINDS.map((kind) => variant(kind, [kind]));

  expect(leaveOneOut(fitted, kindOf)).toEqual({ right: 0, faults: 3 });
  expect(leaveOneOut([...fitted, variant('steady', KINDS)], kindOf)).toEqual({ right: 3, faults: 3 });
});

it('judges each system by the constants that are best on the other systems', () => {
  const variants = [variant('better', ['errors', 'hang']), variant('fitted', ['disk full'])];

  expect(leaveOneOut(variants, systemOf)).toEqual({ right: 2, faults: 3 });
});

it('does not choose constants that pay for right roots with false incidents', () => {
  const variants = [variant('noisy', KINDS, 2), variant('silent', [])];

  expect(leaveOneOut(variants, systemOf)).toEqual({ right: 0, faults: 3 });
});
