import type { ModalView } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Correlation, Incident, Signal } from '../../../contract/resources.ts';
import { causesModal, hasCauses } from './causes-modal.ts';
import { SIGNAL_FILTER_BLOCK } from './ids.ts';
import { ALL_SIGNALS, filterSignals } from './signal-filter.ts';
import { signalModal } from './signal-modal.ts';
import { parseSignalFilter, parseSignalsContext, signalsModal } from './signals-modal.ts';

const NOW = new Date('2026-01-31T12:00:00Z');

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.constantFrom('<!channel>', '*bold*', '`', '', '\ud800', 's'.repeat(2_000), '&'.repeat(300)),
);
const anySignal: fc.Arbitrary<Signal> = fc.record({
  id: hostile.map((id) => id.slice(0, 255) || 'x'),
  type: fc.constantFrom<Signal['type'][]>('trace', 'metric', 'log'),
  service: hostile,
  summary: hostile,
  body: hostile,
  trace_id: hostile,
  unit: hostile,
  value: fc.double({ noNaN: true }),
  last_seen_at: fc.constant('2026-01-31T11:00:00Z'),
  attributes: fc.dictionary(hostile, hostile),
});

const READ = { asOf: NOW, refreshedUntil: NOW };

function signal(fields: Partial<Signal> = {}): Signal {
  return { id: 'sig_1', type: 'trace', service: 'payments', ...fields };
}

function pageOf(signals: readonly Signal[], offset = 0): ModalView {
  const matching = filterSignals(signals, ALL_SIGNALS, NOW);
  const context = { incidentId: 'inc_1', filter: ALL_SIGNALS, offset };
  return signalsModal({
    context,
    label: '#1',
    signals,
    matching,
    signalCount: signals.length,
    hasCauses: true,
    ...READ,
  });
}

/** What Slack would refuse, and text that could forge a mention. */
function faultsOf(view: ModalView): string[] {
  const faults: string[] = view.blocks.length > 100 ? ['too many blocks'] : [];
  JSON.stringify(view, (key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string') {
      const isMrkdwn = 'type' in value && value.type === 'mrkdwn';
      if (value.text.length > (isMrkdwn ? 3_000 : 150) || value.text === '') {
        faults.push(`a text of ${value.text.length} characters`);
      }
      if (isMrkdwn && /<(?!!date\^|https?:)/.test(value.text)) {
        faults.push(value.text);
      }
    }
    if (key === 'options' && Array.isArray(value)) {
      const values = value.map((option: { value: string }) => option.value);
      if (values.length > 100 || new Set(values).size < values.length || values.some((each) => each.length > 75)) {
        faults.push('options');
      }
    }
    return value;
  });
  return faults;
}

const CORRELATION: Correlation = {
  method: 'call graph',
  confidence: 0.42,
  services: [],
  edges: [
    { from: 'web', to: 'search', calls: 9, errors: 5 },
    { from: 'web', to: 'payments', calls: 40, errors: 12 },
  ],
  window: { from: '2026-01-31T11:00:00Z', to: '2026-01-31T12:00:00Z' },
  evidence: ['it failed first'],
  candidates: [
    { service: 'payments', score: 0.71, reasons: ['it failed first', 'its callers wait for it'] },
    { service: 'ledger', score: 0.29, reasons: [] },
  ],
};

describe('the signals modal', () => {
  it('is accepted by Slack for any signals', () => {
    fc.assert(
      fc.property(fc.array(anySignal, { maxLength: 30 }), fc.nat({ max: 40 }), (signals, offset) => {
        expect(faultsOf(pageOf(signals, offset))).toEqual([]);
      }),
    );
  });

  it('offers at most 99 services, and the one that is chosen', () => {
    const signals = Array.from({ length: 150 }, (_, index) => signal({ service: `service-${index}` }));
    const filter = { ...ALL_SIGNALS, service: 'service-149' };
    const context = { incidentId: 'inc_1', filter, offset: 0 };

    const view = signalsModal({
      context,
      label: '#1',
      signals,
      matching: [],
      signalCount: 150,
      hasCauses: false,
      ...READ,
    });

    expect(faultsOf(view)).toEqual([]);
    expect(JSON.stringify(view)).toContain('"initial_option":{"value":"service-149"');
  });

  it('stays on the last page when signals are gone', () => {
    const view = pageOf(
      Array.from({ length: 12 }, (_, index) => signal({ id: `sig_${index}` })),
      40,
    );

    expect(JSON.stringify(view)).toContain('11 to 12 of 12 signals');
    expect(parseSignalsContext(view.private_metadata ?? '')).toMatchObject({ offset: 10 });
  });

  it('says how many signals cannot be read', () => {
    const context = { incidentId: 'inc_1', filter: ALL_SIGNALS, offset: 0 };
    const signals = [signal()];

    const view = signalsModal({
      context,
      label: '#1',
      signals,
      matching: signals,
      signalCount: 9,
      hasCauses: false,
      ...READ,
    });

    expect(JSON.stringify(view)).toContain('9 signals, 1 of them can be read: 1 trace');
  });
});

describe('the filter', () => {
  it('is what the selects show, and nothing else', () => {
    const chosen = (value: string) => ({ selected_option: { value } });
    const state = { signals_type: chosen('log'), signals_service: chosen('all'), signals_period: chosen('1h') };

    expect(parseSignalFilter({ [SIGNAL_FILTER_BLOCK]: state })).toEqual({ type: 'log', service: null, period: '1h' });
    expect(parseSignalFilter({ [SIGNAL_FILTER_BLOCK]: { signals_type: chosen('cat') } })).toBeNull();
    expect(parseSignalFilter({})).toBeNull();
    expect(parseSignalFilter(undefined)).toBeNull();
  });

  it('keeps signals without a time only for any time', () => {
    const old = signal({ id: 'old', last_seen_at: '2026-01-31T10:00:00Z' });
    const fresh = signal({ id: 'fresh', last_seen_at: '2026-01-31T11:50:00Z' });
    const idsFor = (period: '1h' | null) =>
      filterSignals([signal({ id: 'none' }), old, fresh], { ...ALL_SIGNALS, period }, NOW).map(({ id }) => id);

    expect(idsFor(null)).toEqual(['fresh', 'old', 'none']);
    expect(idsFor('1h')).toEqual(['fresh']);
  });
});

describe('one signal', () => {
  it('is accepted by Slack whatever it contains', () => {
    fc.assert(
      fc.property(anySignal, (any) => {
        expect(faultsOf(signalModal(any, 'https://traces.example.com/{trace_id}'))).toEqual([]);
      }),
    );
  });

  it('is not bold where its words have asterisks, which would end the bold text', () => {
    expect(JSON.stringify(signalModal(signal({ summary: 'a *b* c' }), null))).not.toContain('"*a');
    expect(JSON.stringify(signalModal(signal({ summary: 'a b c' }), null))).toContain('"*a b c*');
  });

  it('links the trace only where its address is known', () => {
    const traced = signal({ trace_id: 'a/b' });

    expect(JSON.stringify(signalModal(traced, null))).toContain('Trace `a/b`');
    expect(JSON.stringify(signalModal(traced, 'https://t.example/{trace_id}?x=1'))).toContain(
      'Trace <https://t.example/a%2Fb?x=1|a/b>',
    );
  });
});

describe('the possible roots', () => {
  it('have reasons but no further numbers, then the calls of the root before others', () => {
    const incident: Pick<Incident, 'root_service'> = { root_service: 'payments' };

    const view = causesModal(incident, CORRELATION);

    const text = JSON.stringify(view.blocks);
    expect(faultsOf(view)).toEqual([]);
    expect(text).toContain('*1. `payments`*\\n• it failed first\\n• its callers wait for it');
    expect(text).toMatch(/12 of 40 calls failed.*5 of 9 calls failed/);
  });

  it('are ordered by the scores of the services where a service ranks none', () => {
    const { candidates: _, ...rest } = CORRELATION;
    const services = [{ name: 'ledger', signals: 1, is_root: true, score: 1 }];

    expect(hasCauses({ correlation: { ...rest, services } })).toBe(true);
    expect(hasCauses({ correlation: rest })).toBe(false);
    expect(JSON.stringify(causesModal({ root_service: 'ledger' }, { ...rest, services }))).toContain(
      '*1. `ledger`*\\n• it failed first',
    );
  });
});
