import { expect, it } from 'vitest';
import { dryRun, noiseOf, type PastCard, proposeFilter } from './noise.ts';
import { EVERYTHING } from './rule.ts';

function cards(count: number, fields: Partial<PastCard> = {}): PastCard[] {
  return Array.from({ length: count }, () => ({
    severity: 'warning',
    rootService: 'batch',
    isActedOn: false,
    ...fields,
  }));
}

const useful = cards(3, { severity: 'critical', rootService: 'payments', isActedOn: true });

it('proposes the narrowest filter that keeps what people acted on', () => {
  const proposal = proposeFilter([...cards(40), ...cards(4, { severity: 'critical' }), ...useful]);

  expect(proposal).toEqual({ filter: { ...EVERYTHING, services: ['payments'] }, noise: { cards: 3, actedOn: 3 } });
  expect(noiseOf([...cards(40), ...useful])).toEqual({ cards: 43, actedOn: 3 });
});

it.each([
  ['there are few cards', [...cards(5), ...useful]],
  ['people act on many', [...cards(20), ...useful, ...useful]],
  ['people act on none', cards(40)],
  ['all incidents are alike', [...cards(40), ...cards(3, { isActedOn: true })]],
])('proposes nothing when %s', (_, past) => {
  expect(proposeFilter(past)).toBeNull();
});

it('counts what a filter would have posted', () => {
  const incident = { id: 'i', status: 'closed', signal_count: 1, opened_at: '2026-01-30T10:00:00Z' } as const;
  const incidents = [
    { ...incident, root_service: 'payments', acknowledged: true },
    { ...incident, root_service: 'payments', acknowledged: false },
    { ...incident, root_service: 'search' },
  ];

  expect(dryRun({ ...EVERYTHING, services: ['payments'] }, incidents)).toEqual({
    cards: 2,
    actedOn: 1,
    lacksLabels: false,
  });
  expect(dryRun(EVERYTHING, incidents)).toEqual({ cards: 3, actedOn: null, lacksLabels: false });
});
