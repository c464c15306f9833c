import { describe, expect, it } from 'vitest';
import type { Mapping, StateAnswers } from '../../../contract/integrations.ts';
import { readMappedEvent } from './mapped-event.ts';
import { compileMapping } from './mapping.ts';
import { isBetterStory, type StoryLine, tellStory } from './story.ts';
import { suggestEnds, suggestMapping, withBetterParts } from './suggest-mapping.ts';

const NOW = new Date('2026-01-31T09:00:00Z');

/** Like Checkmk's: the id is that of the notification, and the summary tells the change. */
const notified = (id: string, host: string, status: string, summary: string) => ({
  id,
  summary,
  host,
  status,
  what: 'HOST',
  notification_type: status === 'UP' ? 'RECOVERY' : 'PROBLEM',
});

describe('comparing a failure, its end and another failure', () => {
  it('takes no id that differs in a failure and its end', () => {
    const bodies = [
      notified('17', 'web-1', 'DOWN', 'web-1 - UP -> DOWN'),
      notified('18', 'web-1', 'UP', 'web-1 - DOWN -> UP'),
      notified('19', 'web-2', 'DOWN', 'web-2 - UP -> DOWN'),
    ];
    const { mapping, remarks } = suggestMapping(bodies);

    expect(tell(mapping, bodies)).toEqual([
      'opens “web-1 - UP -> DOWN”, error, of web-1',
      'ends “web-1 - UP -> DOWN”',
      'opens “web-2 - UP -> DOWN”, error, of web-2',
    ]);
    expect(remarks).toEqual([]);
  });

  it('takes no id of a rule that is the same for different failures', () => {
    const alert = (host: string, state: string) => ({ incident_key: 'rule-7', title: 'disk is full', state, host });
    const bodies = [alert('a', 'open'), alert('b', 'open'), alert('a', 'closed')];

    expect(tell(suggestMapping(bodies).mapping, bodies)).toEqual([
      'opens “disk is full”, error, of a',
      'opens “disk is full”, error, of b, apart from what is open',
      'ends “disk is full”',
    ]);
  });

  it('finds the state by its words, not by the name of its field', () => {
    const alert = (fase: string) => ({ titel: 'Platte voll', geraet: 'web-1', fase, kategorie: 'platte' });
    const bodies = [alert('ausgelöst'), alert('behoben')];

    expect(suggestMapping(bodies).mapping.state).toBe('body.fase');
    expect(tell(suggestMapping(bodies).mapping, bodies).at(-1)).toBe('ends “Platte voll”');
  });

  it('reads a time of the end as the end', () => {
    const alert = (resolved_at: string | null) => ({ incident: { id: 7, title: 'down', resolved_at } });
    const bodies = [alert(null), alert('2026-01-31T08:05:00Z')];

    expect(tell(suggestMapping(bodies).mapping, bodies)).toEqual(['opens “down”, error, of down', 'ends “down”']);
  });

  it('asks about a word that nobody knows, and takes it for the end that came after the failure', () => {
    const alert = (status: string) => ({ name: 'disk', host: 'web-1', status });
    const bodies = [alert('firing'), alert('quenched')];
    const { mapping, states } = suggestMapping(bodies);

    expect(states).toEqual({ quenched: 'over' });
    expect(tell(mapping, bodies).at(-1)).toBe('waits: is “quenched” the end of “disk”?');
    expect(tell(mapping, bodies, states).at(-1)).toBe('ends “disk”');
  });

  it('reads the events of a list', () => {
    const batch = (...states: string[]) => ({
      version: 3,
      alerts: states.map((status, at) => ({ name: `check ${'ab'[at]}`, host: 'web-1', status })),
    });
    const bodies = [batch('firing', 'firing'), batch('resolved')];

    expect(suggestMapping(bodies).mapping.events).toBe('body.alerts');
    expect(tell(suggestMapping(bodies).mapping, bodies)).toEqual([
      'opens “check a”, error, of web-1',
      'opens “check b”, error, of web-1, apart from what is open',
      'ends “check a”',
    ]);
  });
});

it('says that one payload is not enough, and that a number is no severity by itself', () => {
  const { remarks } = suggestMapping([{ title: 'disk is full', host: 'web-1', status: 'open', severity: 3 }]);

  expect(remarks).toEqual([
    expect.stringContaining('Only one payload came so far'),
    expect.stringContaining('nothing says whether low or high is worse'),
  ]);
});

it.each([
  [{ priority: 1 }, 'critical'],
  [{ priority: 3 }, 'warning'],
  [{ syslog_severity: 3 }, 'error'],
  [{ score: 85 }, 'critical'],
  [{ severity: 'kritisch' }, 'critical'],
  [{ prioridad: 'alta' }, 'error'],
  [{ severity: 'gibberish' }, 'error'],
])('reads the severity of %j as %s', (said, severity) => {
  const body = { title: 'disk is full', host: 'web-1', status: 'open', ...said };

  expect(tell(suggestMapping([body]).mapping, [body])).toEqual([`opens “disk is full”, ${severity}, of web-1`]);
});

it('knows which number is worse once an end was compared', () => {
  const body = (severity: number, status: string) => ({ title: 'disk is full', host: 'web-1', status, severity });
  const bodies = [body(5, 'open'), body(0, 'closed')];

  expect(tell(suggestMapping(bodies).mapping, bodies)[0]).toContain('critical');
});

it('takes placeholders that nobody filled for nothing, and reads lists of pairs', () => {
  const body = {
    name: 'Too many 5xx',
    service: '$SERVICE',
    status: 'open',
    fields: [{ key: 'application', value: 'shop' }],
  };

  expect(tell(suggestMapping([body]).mapping, [body])).toEqual(['opens “Too many 5xx”, error, of shop']);
});

describe('comparing what came in any order', () => {
  const alert = (host: string, verb: string, check = 'disk') => ({
    text: `${check} on ${host}`,
    machine: host,
    probe: check,
    verb,
    weight: 'critical',
  });

  it('keeps what tells failures apart, though an end came whose failure did not', () => {
    const bodies = [alert('a', 'firing'), alert('a', 'resolved'), alert('lost', 'resolved'), alert('b', 'firing')];

    expect(tell(suggestMapping(bodies).mapping, bodies)).toEqual([
      'opens “disk on a”, critical, of disk on a',
      'ends “disk on a”',
      'ends nothing: no failure with this key came before it',
      'opens “disk on b”, critical, of disk on b',
    ]);
  });

  it('takes unknown words that change for the state, and not a known one that never does', () => {
    const { mapping, states } = suggestMapping([alert('a', 'burning'), alert('a', 'quenched')]);

    expect(mapping.state).toBe('body.verb');
    expect(states).toEqual({ burning: 'fails', quenched: 'over' });
  });

  it('takes no names of checks for states', () => {
    const { mapping, states } = suggestMapping([alert('a', 'firing'), alert('a', 'firing', 'load')]);

    expect(mapping.state).not.toBe('body.probe');
    expect(states).toEqual({});
  });

  it('reads the mark of a title, though its measure differs and another failure came', () => {
    const titled = (mark: string, host: string, measure: string) => ({
      what: `[${mark}] load of ${host}: ${measure} %`,
      host,
    });
    const bodies = [titled('tripped', 'a', '91.2'), titled('tripped', 'b', '93.0'), titled('quiet', 'a', '12.7')];
    const { mapping, states } = suggestMapping(bodies);

    expect(tell(mapping, bodies, states).at(-1)).toBe('ends “[tripped] load of a: 91.2 %”');
  });

  it('takes what has failed for the title where nothing is a sentence', () => {
    const state = (check_state_name: string) => ({
      data: { check_state_name, check_id: 5630, application_name: 'shop' },
    });
    const bodies = [state('Not Responding'), state('Available')];

    expect(tell(suggestMapping(bodies).mapping, bodies)).toEqual(['opens “shop”, error, of shop', 'ends “shop”']);
  });

  it('offers what it learned later for a mapping that ends nothing', () => {
    const bodies = [alert('a', 'burning'), alert('a', 'quenched'), alert('b', 'burning')];
    const saved = { title: 'body.text' };
    const { mapping, states } = suggestMapping(bodies);
    const better = withBetterParts(saved, mapping);

    expect(better.title).toBe('body.text');
    expect(isBetterStory(tellLines(better, bodies, states), tellLines(saved, bodies))).toBe(true);
    expect(isBetterStory(tellLines(saved, bodies), tellLines(better, bodies, states))).toBe(false);
  });

  it('shows what it would be for each word that may be the end, of which a person picks one', () => {
    const alert = (id: string, phase: string) => ({ id, text: 'disk on a', host: 'a', phase });
    const bodies = [alert('17', 'kindled'), alert('18', 'looked at'), alert('19', 'quenched')];
    const [found, ...ifEnds] = suggestEnds(bodies, {});
    const quenched = ifEnds.find(({ end }) => end === 'quenched');

    expect(found.states).toEqual({});
    expect(ifEnds.map(({ end }) => end)).toEqual(['kindled', 'looked at', 'quenched']);
    expect(tell(quenched?.mapping ?? {}, bodies, quenched?.states).at(-1)).toBe('ends “disk on a”');
  });

  it('takes a word for the end that people call so, whatever it looks like', () => {
    const alert = (id: number, phase: string) => ({ id, text: 'disk on a', host: 'a', phase });
    const bodies = [alert(17, 'open'), alert(18, 'broken in')];
    const { mapping, states } = suggestMapping(bodies, { 'broken in': 'over' });

    expect(tell(mapping, bodies, { ...states, 'broken in': 'over' })).toEqual([
      'opens “disk on a”, error, of a',
      'ends “disk on a”',
    ]);
  });

  it('reads the mark of a title also before its end was seen', () => {
    const alert = (title: string) => ({ title, host: 'a' });
    const { mapping } = suggestMapping([alert('[FIRING] disk is full')]);

    expect(tell(mapping, [alert('[FIRING] disk is full'), alert('[RESOLVED] disk is full')])).toEqual([
      'opens “[FIRING] disk is full”, error, of a',
      'ends “[FIRING] disk is full”',
    ]);
  });

  it('takes no place at the beginning of a title for the state', () => {
    const alert = (host: string, in_alarm: boolean) => ({
      name: `${host}: ping crossed its limit`,
      asset: host,
      in_alarm,
    });
    const bodies = [alert('web-1', true), alert('web-2', true), alert('web-1', false)];

    expect(suggestMapping(bodies).mapping.state).toBe('body.in_alarm');
    expect(tell(suggestMapping(bodies).mapping, bodies).at(-1)).toBe('ends “web-1: ping crossed its limit”');
  });

  it('guesses no end by the order of words where another one may be misread', () => {
    const alert = (phase: string) => ({ text: 'disk on a', host: 'a', phase });

    expect(suggestMapping([alert('kindled'), alert('looked at')]).states).toEqual({
      kindled: 'fails',
      'looked at': 'over',
    });
    expect(suggestMapping([alert('kindled'), alert('looked at'), alert('suppressed')]).states).toEqual({});
  });

  it('makes no failure one that opens nothing before an end was compared', () => {
    const urgent = { title: 'disk is full', host: 'a', status: 'open', priority: 5 };

    expect(tell(suggestMapping([urgent]).mapping, [urgent])).toEqual(['opens “disk is full”, error, of a']);
  });
});

function tell(...given: Parameters<typeof tellLines>): string[] {
  return tellLines(...given).map(({ text }) => text);
}

function tellLines(mapping: Partial<Mapping>, bodies: readonly unknown[], answers: StateAnswers = {}): StoryLine[] {
  const whole = { title: '', ...mapping };
  const readings = bodies.flatMap((body) =>
    compileMapping(whole)(body).map((mapped) =>
      readMappedEvent(mapped, mapped.event ?? body, { type: 'json', mapping: whole, answers, sender: 'int_1' }, NOW),
    ),
  );
  return tellStory(readings);
}
