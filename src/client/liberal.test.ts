import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  LiberalIncident,
  LiberalIncidentSummary,
  LiberalIntegration,
  LiberalSignal,
  listOf,
  parseJson,
  showsOurAdditions,
} from './liberal.ts';

const SUMMARY = {
  id: '7',
  status: 'open',
  signal_count: 2,
  root_service: 'checkout',
  opened_at: '2026-11-21T10:00:00.000Z',
};
const ODD_SUMMARY = {
  id: 7,
  status: 'Active',
  signal_count: '2',
  root_service: { name: 'checkout' },
  opened_at: 1_795_255_200,
};
const SIGNAL = { id: 's1', type: 'trace', service: 'payments' };

const IncidentList = listOf('incidents', LiberalIncidentSummary);

/** Fields that cannot be mistaken for a list. */
const scalars = fc.dictionary(
  fc.stringMatching(/^x[a-z]{0,8}$/),
  fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
);

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function issues(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('an incident of a list', () => {
  it('is converted to the contract from any accepted format', () => {
    expect(LiberalIncidentSummary.parse(ODD_SUMMARY)).toEqual(SUMMARY);
  });

  it('keeps unknown fields', () => {
    expect(LiberalIncidentSummary.parse({ ...SUMMARY, team: { lead: 'ana' } })).toEqual({
      ...SUMMARY,
      team: { lead: 'ana' },
    });
  });

  it('keeps a mute of a kind that only a later version knows, since it shows what the service offers', () => {
    const mute = {
      id: 'mut_1',
      target: 'team',
      value: 'payments',
      until: '2026-11-21T12:00:00Z',
      repeat: 'fortnight',
      created_by: 'ana',
      created_at: '2026-11-21T10:00:00Z',
    };

    const { mute: read } = LiberalIncidentSummary.parse({ ...SUMMARY, mute });

    expect(read).toMatchObject({ target: 'team', value: 'payments' });
  });

  it('drops only optional fields of an unexpected type', () => {
    const answer = {
      ...SUMMARY,
      severity: 'SEV1',
      number: 'INC-7',
      title: null,
      acknowledged_at: 'x',
      closed_at: null,
    };

    expect(LiberalIncidentSummary.parse(answer)).toEqual({ ...SUMMARY, closed_at: null });
  });

  it.each([
    [
      { acknowledged_by: '', acknowledged_at: '0001-01-01T00:00:00Z' },
      { acknowledged_by: null, acknowledged_at: null },
    ],
    [
      { resolved_by: ' ', closed_at: 0 },
      { resolved_by: null, closed_at: null },
    ],
    [{ acknowledged_by: { id: 7, name: 'Ana' } }, { acknowledged_by: 'Ana' }],
    [{ acknowledged_by: { email: 'ana@example.com', id: 'u7' } }, { acknowledged_by: 'ana@example.com' }],
    [{ status: 'Acknowledged' }, { acknowledged: true }],
    [{ acknowledged: true }, { acknowledged: true }],
    [{ signal_count: null }, { signal_count: 0 }],
  ])('interprets %j as the other service means it', (fields, meant) => {
    expect(LiberalIncidentSummary.parse({ ...SUMMARY, ...fields })).toEqual({ ...SUMMARY, ...meant });
  });

  it('is rejected with the names of missing required fields', () => {
    const { opened_at: _, ...rest } = SUMMARY;

    expect(issues(LiberalIncidentSummary, { ...rest, signal_count: 'many' })).toEqual([
      expect.stringMatching(/^signal_count: .*number/),
      expect.stringMatching(/^opened_at: .*string/),
    ]);
  });

  it('has the service "unknown" without a root service', () => {
    expect(LiberalIncidentSummary.parse({ ...SUMMARY, root_service: null }).root_service).toBe('unknown');
  });
});

describe('a single incident', () => {
  const single = { ...SUMMARY, signals: [SIGNAL] };

  it.each([
    ['bare', single],
    ['by its name', { incident: single }],
    ['in data', { data: single }],
    ['in data by its name, beside other things', { status: 'success', data: { incident: single, links: {} } }],
    ['in data by its name, beside its correlation', { data: { incident: single }, correlation: { rule: 7 } }],
    ['with its signals beside it', { incident: SUMMARY, signals: [SIGNAL] }],
    ['with its signals under another name', { ...SUMMARY, members: [SIGNAL], tags: ['a'], notes: [] }],
    ['with its signals in an envelope', { ...SUMMARY, signals: { items: [SIGNAL], total: 1 } }],
  ])('is read %s', (_, answer) => {
    expect(LiberalIncident.parse(answer)).toMatchObject(single);
  });

  it('counts its signals if it has no count', () => {
    const { signal_count: _, ...rest } = SUMMARY;

    expect(LiberalIncident.parse({ ...rest, signals: [SIGNAL, { ...SIGNAL, id: 's2' }] }).signal_count).toBe(2);
  });

  it('has no signals if it lists only their ids', () => {
    expect(LiberalIncident.parse({ ...SUMMARY, signals: ['s1', 's2'] })).toEqual(SUMMARY);
  });

  it('drops correlation metadata in an unknown format', () => {
    expect(LiberalIncident.parse({ ...SUMMARY, correlation: 'by trace' })).toEqual(SUMMARY);
  });

  it('is rejected if two objects have ids', () => {
    expect(LiberalIncident.safeParse({ first: SUMMARY, second: SUMMARY }).success).toBe(false);
  });
});

describe('a signal', () => {
  it.each(['incident_id', 'correlation_id', 'incidentId', 'correlationId', 'incident', 'correlation'])(
    'belongs to the incident that %s names',
    (name) => {
      expect(LiberalSignal.parse({ ...SIGNAL, [name]: 7 }).incident_id).toBe('7');
    },
  );

  it('belongs to the incident that it contains as an object', () => {
    expect(LiberalSignal.parse({ ...SIGNAL, incident: { id: 7 } }).incident_id).toBe('7');
  });

  it('belongs to no incident if two names disagree or none is set', () => {
    expect(LiberalSignal.parse({ ...SIGNAL, correlation_id: 7, incident: 8 })).not.toHaveProperty('incident_id');
    expect(LiberalSignal.parse({ ...SIGNAL, incident_id: null })).not.toHaveProperty('incident_id');
  });

  it('is read if its type is called kind and its service is missing', () => {
    expect(LiberalSignal.parse({ signal: { id: 5, kind: 'LOG', type: 'json' } })).toMatchObject({
      id: '5',
      type: 'log',
      service: 'unknown',
    });
  });
});

describe('a list', () => {
  it('has the same items bare, under its name, as the only array, and wrapped', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(SUMMARY, ODD_SUMMARY), { maxLength: 5 }), scalars, (incidents, others) => {
        const answers = [
          incidents,
          { ...others, incidents },
          { ...others, incidents, xwarnings: ['another array'] },
          { ...others, items: incidents },
          { ...others, data: { incidents } },
          { ...others, data: { items: incidents, ...others } },
        ];

        for (const answer of answers) {
          expect(IncidentList.parse(answer).items).toEqual(incidents.map(() => SUMMARY));
        }
      }),
    );
  });

  it('has its total and limit from numbers or text', () => {
    expect(IncidentList.parse({ incidents: [], total: '120', limit: 50 })).toEqual({
      items: [],
      unreadable: [],
      total: 120,
      limit: 50,
      hasMore: null,
      nextCursor: null,
    });
    const nothing = { items: [], unreadable: [], total: null, limit: null, hasMore: null, nextCursor: null };
    expect(IncidentList.parse([])).toEqual(nothing);
  });

  it('accepts has_more only together with an offset, as Tocsin writes it', () => {
    expect(IncidentList.parse({ incidents: [], has_more: true, offset: 0 }).hasMore).toBe(true);
    expect(IncidentList.parse({ incidents: [], has_more: true, cursor: 'x' }).hasMore).toBeNull();
  });

  it.each([[{ incidents: null }], [null]])('is empty in %j', (answer) => {
    expect(IncidentList.parse(answer).items).toEqual([]);
  });

  it('drops and reports unreadable items, but keeps the others', () => {
    const { items, unreadable } = IncidentList.parse({ incidents: [{ ...SUMMARY, opened_at: 'soon' }, SUMMARY] });

    expect(items).toEqual([SUMMARY]);
    expect(unreadable).toEqual([expect.stringContaining('opened_at')]);
  });

  it('is rejected with the path of the fault if no item is readable', () => {
    expect(issues(IncidentList, { incidents: [{ ...SUMMARY, opened_at: 'soon' }] })).toEqual([
      expect.stringMatching(/^0\.opened_at: /),
    ]);
  });

  it.each([[{ a: [], b: [] }], [{ total: 0 }], ['incidents'], [7]])('is not found in %j', (answer) => {
    expect(issues(IncidentList, answer)).toEqual([': expected a list of incidents']);
  });
});

describe('an arbitrary response', () => {
  it('is either read or rejected, without a crash or a change of prototypes', () => {
    const schemas = [LiberalIncident, LiberalIncidentSummary, LiberalSignal, LiberalIntegration, IncidentList];
    const hostile = fc.constantFrom('{"__proto__":{"id":1}}', '{"id":1,"__proto__":[],"status":"x"}').map(parseJson);

    fc.assert(
      fc.property(fc.oneof(json, hostile), (answer) => {
        for (const schema of schemas) {
          const parsed = schema.safeParse(answer);
          expect(parsed.success ? Object.getPrototypeOf(parsed.data) : Object.prototype).toBe(Object.prototype);
        }
      }),
    );
  });

  it('gives the same result when its result is read again', () => {
    const once = LiberalIncident.parse({ data: { ...ODD_SUMMARY, signals: [{ ...SIGNAL, correlation_id: 7 }] } });

    expect(LiberalIncident.parse(once)).toEqual(once);
  });
});

describe('parseJson', () => {
  it('keeps all digits of large integers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (id) => {
        expect(LiberalIntegration.parse(parseJson(`{"id": ${id}, "status": "on"}`)).id).toBe(String(id));
      }),
    );
  });

  it('otherwise gives the same result as JSON.parse', () => {
    const withoutHugeIntegers = (_key: string, value: unknown) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) ? 0 : value;

    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify([value, '1234567890123456'], withoutHugeIntegers);

        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('showsOurAdditions', () => {
  it('requires two of the additional fields in a list or an incident', () => {
    const ours = [
      { incidents: [], total: 0, limit: 50, offset: 0, has_more: false },
      { ...SUMMARY, number: 7, signals_by_type: { trace: 1, metric: 0, log: 1 } },
    ];
    const others = [
      { incidents: [], has_more: false },
      { incidents: [], offset: 0 },
      { ...SUMMARY, number: 7 },
      [],
      null,
    ];

    expect(ours.map(showsOurAdditions)).toEqual([true, true]);
    expect(others.map(showsOurAdditions)).toEqual(others.map(() => false));
  });
});
