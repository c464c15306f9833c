import { expect, it } from 'vitest';
import { markOf, readState, stateInText, subjectOf, withoutMark, withoutState } from './read-state.ts';

const SAYS = {
  over: `Deactivated|completed|restored|Solved|passed|online|alert_recovery|clear events|resolved|RESOLVED|OK|Up|closed|
    incident.resolved|host_up|no longer firing|not firing|no problem|back online|Recovered from critical|DOWN -> UP|
    state changed to OK|Normal|inactive|available|healthy|all clear|recovery|problem solved|alarm ended|error cleared|
    behoben|Störung beendet|wiederhergestellt|gelöst|nicht mehr aktiv|in Ordnung|wieder erreichbar|Entwarnung|
    résolu|rétabli|alerte terminée|en ligne|clôturé|ne plus actif|resuelto|cerrada|restablecido|solucionado|inactivo|
    resolvido|encerrado|desativado|normalizado|risolto|chiuso|rientrato|ripristinato|opgelost|hersteld|gesloten|
    復旧|已恢复|解決済み|恢复正常|복구`,
  fails: `triggered|firing|Fired|Activated|open|DOWN|PROBLEM|CRITICAL|WARNING|failed|not resolved|unresolved|not OK|
    unhealthy|unavailable|abnormal|failed to recover|could not recover|still down|reopened|re-triggered|no data|NODATA|
    incident.triggered|alert|UP -> DOWN|out of service|unreachable|offline|disconnected|alarm|unacknowledged|started|
    ausgelöst|Störung|nicht behoben|nicht erreichbar|kritisch|unerreichbar|offen|déclenché|en cours|indisponible|
    pas résolu|activo|abierto|caído|no resuelto|fuera de servicio|ativo|aberto|falhou|fora do ar|attivo|aperto|guasto|
    in corso|mislukt|storing|niet opgelost|onbereikbaar|発生|異常|未解決|触发|未恢复|故障|발생`,
  acknowledged: 'acknowledged|ACK|incident.acknowledged|bestätigt|quittiert|acquitté|reconocido|pris en charge|已确认',
  ignored: 'test|silenced|muted|maintenance|ping',
} as const;

const CASES = Object.entries(SAYS).flatMap(([meaning, texts]) =>
  texts.split('|').map((text) => [text.trim(), meaning] as const),
);

it.each(CASES)('reads “%s” as %s', (text, meaning) => {
  expect(readState(text)).toBe(meaning);
});

it.each(['stopped', 'updated', 'quenched', 'frobnicated', 'pending', '3', '0', '1', 'true', '', 'open and closed'])(
  'does not claim to know what “%s” means',
  (text) => {
    expect(readState(text)).toBeNull();
  },
);

it.each([
  ['healthy', 'false', 'fails'],
  ['healthy', 'true', 'over'],
  ['is_firing', '0', 'over'],
  ['active', '1', 'fails'],
  ['resolved', 'false', 'fails'],
  ['problem', 'false', 'over'],
  ['behoben', 'true', 'over'],
  ['status', '0', null],
  ['acknowledged', 'false', 'fails'],
])('reads %s: %s by the name of the field, as %s', (name, text, meaning) => {
  expect(readState(text, name)).toBe(meaning);
});

it.each([
  ['[Resolved] disk of web-1 is full since the last deployment', 'over'],
  ['PROBLEM: the queue of orders has more than 1000 entries', 'fails'],
  ['Monitor of the checkout is DOWN: connection timed out after 48 s', 'fails'],
  ['The high number of closed connections on web-1 needs a look', null],
])('reads the mark of a sentence and nothing else: %s', (text, meaning) => {
  expect(readState(text)).toBe(meaning);
});

it('takes the mark off a title, so that it is the same for a failure and its end', () => {
  const failure = withoutMark('[Triggered] disk of web-1 is nearly full since noon');

  expect(withoutMark('[Resolved] disk of web-1 is nearly full since noon')).toBe(failure);
  expect(failure).toBe('disk of web-1 is nearly full since noon');
  expect(markOf('[Triggered] disk of web-1 is nearly full since noon')).toBe('Triggered');
});

it('does not know what a negation at the end negates', () => {
  expect(readState('alarm_no ar')).toBeNull();
  expect(readState('alarm off air')).not.toBe('over');
});

it.each([
  ['[点灯] web-1 の disk を確認してください', '点灯'],
  ['[OK] ping of web-1', 'OK'],
  ['[critical -> ok] disk', 'ok'],
])('takes what is in brackets at the beginning for the mark of %s', (title, mark) => {
  expect(markOf(title)).toBe(mark);
});

it.each([
  ['[FIRING:1] disk of web-7', 'fails'],
  ['Resolved: disk of web-7', 'over'],
  ['Acknowledged: disk of web-7', 'acknowledged'],
  ['Monitor is DOWN: web-7', 'fails'],
  ['memory available: 2 %', null],
  ['no server is available', null],
  ['Connection closed', null],
  ['[FIRING:1, RESOLVED:1] disk of web-7', null],
  ['Test: disk of web-7', null],
])('reads only the mark of a title that people read: %s', (title, meaning) => {
  expect(stateInText(title)).toBe(meaning);
});

it.each([
  ['[Triggered on {host:web-7}] CPU is high', '[Recovered on {host:web-7}] CPU is high', true],
  ['[Triggered on {host:web-7}] CPU is high', '[Recovered on {host:web-8}] CPU is high', false],
  ['[FIRING:1] disk of web-7', '[FIRING:1, RESOLVED:1] disk of web-7', true],
  ['Triggered #17: disk', 'Resolved #17: disk', true],
  ['web-7: disk', 'web-8: disk', false],
])('tells %s and %s apart by all but the words of the state', (one, other, isSame) => {
  expect(withoutState(one) === withoutState(other)).toBe(isSame);
});

it.each([
  ['backup db-1 failed', 'backup db-1 succeeded', true],
  ['Deploy failed for shop', 'Deploy succeeded for shop', true],
  ['nas-1: Pool tank is DEGRADED', 'nas-1: Pool tank is HEALTHY', true],
  ['backup db-1 failed', 'backup db-2 succeeded', false],
  ['payment error', 'payment failure', false],
])('finds %s and %s to be about the same, or not', (one, other, isSame) => {
  expect(subjectOf(one) === subjectOf(other)).toBe(isSame);
});
