import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readByPreset } from '../../../../test/support/read-preset.ts';
import '../../../../test/support/property-seed.ts';
import { type Settled, settle } from '../mapping/settle.ts';
import { PRESETS, type Preset, withDifference } from './presets.ts';

const NOW = new Date('2026-01-31T09:00:00Z');

const FAILURES = ['a', 'b'] as const;
const KINDS = ['fails', 'ends', 'acknowledged', 'noted'] as const;

interface Sent {
  readonly failure: (typeof FAILURES)[number];
  readonly does: (typeof KINDS)[number];
}

/** null: the product sends no such thing. */
function payloadOf(preset: Preset, { failure, does }: Sent): unknown {
  const { end, acknowledgement = null, note = null } = preset;
  const difference = { fails: {}, ends: end, acknowledged: acknowledgement, noted: note }[does];
  if (difference === null) {
    return null;
  }
  const ofFirst = withDifference(preset.failure, difference);
  return failure === 'a' ? ofFirst : withDifference(ofFirst, does === 'noted' ? {} : preset.another);
}

const sent: fc.Arbitrary<Sent> = fc.record({ failure: fc.constantFrom(...FAILURES), does: fc.constantFrom(...KINDS) });

/** Beginnings again, ends twice or without a beginning, acknowledgements and notes in any order, some in one request. */
const requests = fc.array(fc.array(sent, { minLength: 1, maxLength: 3 }), { maxLength: 12 });

it.each(PRESETS.map((preset) => [preset.name, preset] as const))(
  'has open what has begun and not ended, whatever %s sends in which order',
  (_name, preset) => {
    fc.assert(
      fc.property(requests, (all) => {
        const open = new Map<string, string | null>();
        const begun = new Set<string>();
        for (const request of all) {
          const events = request.filter((event) => payloadOf(preset, event) !== null);
          const readings = events.flatMap((event) => readByPreset(preset.id, payloadOf(preset, event), NOW));
          const settled = settle(readings, open, NOW);
          const endedNothing = events.filter(({ failure, does }) => {
            const isLost = does === 'ends' && !begun.delete(failure);
            return does === 'fails' ? void begun.add(failure) : isLost;
          });
          apply(settled, open);

          expect(settled.asked).toEqual([]);
          expect(settled.endedNothing).toBe(endedNothing.length);
          expect(open.size).toBe(begun.size);
        }
      }),
      { numRuns: 20 },
    );
  },
);

/** As they are stored: signals first, then ends. */
function apply({ batch }: Settled, open: Map<string, string | null>): void {
  for (const { fingerprint } of batch.signals) {
    open.set(fingerprint, null);
  }
  for (const { fingerprint } of batch.ends ?? []) {
    open.delete(fingerprint);
  }
}
