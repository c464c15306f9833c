import { describe, expect, it } from 'vitest';
import { createCorrelatedSystem, START } from '../../../test/support/correlated-system.ts';
import { evidence } from '../../../test/support/evidence.ts';
import { storedFacts } from '../../../test/support/stored-facts.ts';
import type { Evidence } from '../core/evidence.ts';
import { titleOf } from './incident-title.ts';

const CPU = evidence({ service: 'ads', family: 'resource', origin: 'metric', subject: 'cpu', significance: 2 });
const STREAM = evidence({ service: 'ads', family: 'failed_calls', subject: 'EventStream', significance: 0.4 });
const LOST = { kind: 'silent', requests: 8, total: 8, failed: 0, extraMs: 0, perMinute: 8, path: [] } as const;
const GOT_OVER = evidence({
  service: 'mailer',
  family: 'tolerated_failures',
  peer: 'checkout',
  lost: LOST,
  subject: '',
});

describe('the title of an incident', () => {
  it('is of the metric that opened it, not of a rare failure that joined', () => {
    expect(titleWith([CPU, STREAM], 'EventStream fails (DEADLINE_EXCEEDED)')).toBe('ads: cpu is 1, usually 0');
  });

  it('is of the error line, if there is one', () => {
    const line = evidence({ service: 'ads', family: 'new_error_log', origin: 'log', significance: 2 });

    expect(titleWith([CPU, line], 'out of memory')).toBe('ads: out of memory');
  });

  it('says that calls fail, though their callers got over it, without numbers that grow', () => {
    expect(titleWith([GOT_OVER], null)).toBe('mailer: calls from checkout fail');
  });

  it('has the error that the caller of a silent root met', () => {
    const met = (summary: string) => titleWith([GOT_OVER], null, summary);

    expect(met('POST to mailer fails (connect ECONNREFUSED (mailer))')).toBe(
      'mailer: calls from checkout fail (connect ECONNREFUSED (mailer))',
    );
    expect(met('POST /checkout failed: mailer cannot be reached')).toBe('mailer: calls from checkout fail');
  });
});

function titleWith(
  found: readonly Evidence[],
  rootSummary: string | null,
  callerSummary: string | null = null,
): string | null {
  const system = createCorrelatedSystem();
  system.during(0, 2, found);
  const [incident] = system.incidents();
  const sentences = ['ads: cpu is 1, usually 0'];
  return incident === undefined
    ? null
    : titleOf(incident, storedFacts(new Date(START), { rootSummary, callerSummary }), sentences);
}
