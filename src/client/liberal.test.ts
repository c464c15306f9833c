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

/** Fields that no list could be mistaken for. */
const scalars = fc.dictionary(
  fc.stringMatching(/^x[a-z]{0,8}$/),
  fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
);

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function issues(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('an incident of a list', () => {
  it('comes out in the form of the contract however its fields are written', () => {
    expect(LiberalIncidentSummary.parse(ODD_SUMMARY)).toEqual(SUMMARY);
  });

  it('keeps fields that nobody knows', () => {
    expect(LiberalIncidentSummary.parse({ ...SUMMARY, team: { lead: 'ana' } })).toEqual({
      ...SUMMARY,
      team: { lead: 'ana' },
    });
  });

  it('loses an optional field that means something else there, and nothing more', () => {
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
  ])('says of %j what another service means by it', (fields, meant) => {
    expect(LiberalIncidentSummary.parse({ ...SUMMARY, ...fields })).toEqual({ ...SUMMARY, ...meant });
  });

  it('is refused, with the fields named, when it lacks what the document promises', () => {
    const { opened_at: _, ...rest } = SUMMARY;

    expect(issues(LiberalIncidentSummary, { ...rest, signal_count: 'many' })).toEqual([
      expect.stringMatching(/^signal_count: .*number/),
      expect.stringMatching(/^opened_at: .*string/),
    ]);
  });

  it('says the service is unknown when none is the root', () => {
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

  it('counts its signals when it carries no count', () => {
    const { signal_count: _, ...rest } = SUMMARY;

    expect(LiberalIncident.parse({ ...rest, signals: [SIGNAL, { ...SIGNAL, id: 's2' }] }).signal_count).toBe(2);
  });

  it('has no signals rather than wrong ones when it lists only their ids', () => {
    expect(LiberalIncident.parse({ ...SUMMARY, signals: ['s1', 's2'] })).toEqual(SUMMARY);
  });

  it('leaves out correlation metadata of another kind than ours', () => {
    expect(LiberalIncident.parse({ ...SUMMARY, correlation: 'by trace' })).toEqual(SUMMARY);
  });

  it('is not guessed out of two objects with ids', () => {
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

  it('belongs to the incident that it carries as an object', () => {
    expect(LiberalSignal.parse({ ...SIGNAL, incident: { id: 7 } }).incident_id).toBe('7');
  });

  it('belongs to no incident when two names disagree or none is given', () => {
    expect(LiberalSignal.parse({ ...SIGNAL, correlation_id: 7, incident: 8 })).not.toHaveProperty('incident_id');
    expect(LiberalSignal.parse({ ...SIGNAL, incident_id: null })).not.toHaveProperty('incident_id');
  });

  it('is read with its kind called kind and its service left out', () => {
    expect(LiberalSignal.parse({ signal: { id: 5, kind: 'LOG', type: 'json' } })).toMatchObject({
      id: '5',
      type: 'log',
      service: 'unknown',
    });
  });
});

describe('a list', () => {
  it('gives the same items bare, by its name, as the only array, and wrapped', () => {
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

  it('says its total and limit when it has them, as number or text', () => {
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

  it('believes has_more only beside an offset, as our service writes it', () => {
    expect(IncidentList.parse({ incidents: [], has_more: true, offset: 0 }).hasMore).toBe(true);
    expect(IncidentList.parse({ incidents: [], has_more: true, cursor: 'x' }).hasMore).toBeNull();
  });

  it.each([[{ incidents: null }], [null]])('is empty in %j', (answer) => {
    expect(IncidentList.parse(answer).items).toEqual([]);
  });

  it('loses what cannot be read, and says so: one odd incident must not hide the others', () => {
    const { items, unreadable } = IncidentList.parse({ incidents: [{ ...SUMMARY, opened_at: 'soon' }, SUMMARY] });

    expect(items).toEqual([SUMMARY]);
    expect(unreadable).toEqual([expect.stringContaining('opened_at')]);
  });

  it('is refused, with the place named, when nothing in it can be read', () => {
    expect(issues(IncidentList, { incidents: [{ ...SUMMARY, opened_at: 'soon' }] })).toEqual([
      expect.stringMatching(/^0\.opened_at: /),
    ]);
  });

  it.each([[{ a: [], b: [] }], [{ total: 0 }], ['incidents'], [7]])('is not found in %j', (answer) => {
    expect(issues(IncidentList, answer)).toEqual([': expected a list of incidents']);
  });
});

describe('any answer at all', () => {
  it('is either read or refused, never a crash, and never changes how objects work', () => {
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

  it('is read the same a second time', () => {
    const once = LiberalIncident.parse({ data: { ...ODD_SUMMARY, signals: [{ ...SIGNAL, correlation_id: 7 }] } });

    expect(LiberalIncident.parse(once)).toEqual(once);
  });
});

describe('parseJson', () => {
  it('keeps every digit of an integer of any size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (id) => {
        expect(LiberalIntegration.parse(parseJson(`{"id": ${id}, "status": "on"}`)).id).toBe(String(id));
      }),
    );
  });

  it('otherwise reads what JSON.parse reads', () => {
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
  it('needs two marks of ours in a list or an incident', () => {
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
