import { describe, expect, it } from 'vitest';
import { patternsOf, readMuteLabels } from './mute-labels.ts';
import { matchersOf, muteOfSilence } from './silence.ts';

const OPERATORS = { '=': [false, true], '=~': [true, true], '!=': [false, false], '!~': [true, false] } as const;

/** `team=~"a|b"` without the quotes. */
function matcher(text: string) {
  const [, name = '', operator = '=', value = ''] = /^([\w.]+)(=~|!~|!=|=)(.*)$/.exec(text) ?? [];
  const [isRegex, isEqual] = OPERATORS[operator as keyof typeof OPERATORS];
  return { name, value, isRegex, isEqual };
}

const muted = (...matchers: string[]) => muteOfSilence(matchers.map(matcher));
const labels = (value: string) => ({ target: 'labels', value });

describe('a silence', () => {
  it.each([
    [['service=payments'], { target: 'service', value: 'payments' }],
    [['deployment=payments'], { target: 'service', value: 'payments' }],
    [['service=~payments'], { target: 'service', value: 'payments' }],
    [['team=payments'], labels('team:payments')],
    [['team=payments', 'environment=prod'], labels('team:payments, env:prod')],
    [['k8s.cluster.name=eu 1'], labels('cluster:eu 1')],
    [['service=payments', 'env=prod'], labels('service:payments, env:prod')],
    [['team=~a|b'], labels('team:a, team:b')],
    [['team=~^(?:a|b)$'], labels('team:a, team:b')],
    [['cluster=~prod-.*'], labels('cluster:prod-*')],
    [['env=~.+'], labels('env:*')],
    [['service=~pay.*|orders'], labels('service:pay*, service:orders')],
    [[String.raw`namespace=~shop\.eu`], labels('namespace:shop.eu')],
  ])('with %j becomes a mute', (matchers, expected) => {
    expect(muted(...matchers)).toEqual(expected);
  });

  it.each([
    [['team!=payments'], /^team!="payments" cannot be muted: .*leaves nothing out/],
    [['team=a', 'env!~prod.*'], /^env!~"prod\.\*" cannot/],
    [['severity=critical'], /^severity="critical" .*names neither a service nor team/],
    [['alertname=DiskFull', 'team=a'], /^alertname="DiskFull"/],
    [['team=a', 'team=~a.*'], /^team=~"a\.\*" .*another matcher for the team/],
    [['service=a', 'deployment=b'], /^deployment="b" .*another matcher for the service/],
    [['pod=~payments.*'], /^pod=~"payments\.\*"/],
    [['team='], /the value is empty/],
    [['team=a,b'], /comma/],
    [['team=a*'], /asterisk/],
    [['team=~.*'], /only alternatives/],
    [['team=~'], /only alternatives/],
    [['team=~a|'], /only alternatives/],
    [['team=~pay.ments'], /a dot is written/],
    [['team=~[ab]'], /only alternatives/],
    [['team=~(a|b)c'], /only alternatives/],
    [['team=~(?i)a'], /only alternatives/],
    [['team=~a+'], /only alternatives/],
    [['team=~a*'], /only alternatives/],
  ])('with %j is refused with a sentence', (matchers, sentence) => {
    expect(muted(...matchers)).toMatch(sentence);
  });

  it.each([
    ['service=payments'],
    ['service=payments', 'env=prod'],
    ['team=~a|b'],
    ['cluster=~prod-.*', 'env=~.+'],
    [String.raw`namespace=~shop\.eu|a-b.*`],
  ])('is shown as it was given: %s', (...matchers) => {
    const mute = muted(...matchers);

    expect(mute).not.toBeTypeOf('string');
    expect(matchersOf(mute as Exclude<typeof mute, string>)).toEqual(matchers.map(matcher));
  });

  it('has no counterpart for a mute of an incident or an integration', () => {
    expect(matchersOf({ target: 'incident', value: 'inc_1' })).toBeNull();
    expect(matchersOf({ target: 'integration', value: 'int_1' })).toBeNull();
  });
});

describe('labels of a mute', () => {
  it.each([
    ['Team: payments ,env:prod', ['env:prod', 'team:payments']],
    ['service:payments, service:payments', ['service:payments']],
    ['payments', null],
    ['team:payments, severity:critical', null],
    ['team:', null],
    ['', null],
  ])('reads %j', (text, words) => {
    expect(readMuteLabels(text)).toEqual(words);
  });

  it('are patterns of LIKE', () => {
    expect(patternsOf(['env:prod_1*', 'team:a', 'team:b%'])).toEqual({
      env: [String.raw`env:prod\_1%`],
      team: ['team:a', String.raw`team:b\%`],
    });
  });
});
