import { describe, expect, it } from 'vitest';
import { keepLabels, labelsOf, presentLabels, readLabelWords } from './incident-labels.ts';

describe('the labels of a signal', () => {
  it.each([
    [{ team: 'payments', env: 'prod', cluster: 'eu-1' }, {}, ['team:payments', 'env:prod', 'cluster:eu-1']],
    [{ environment: ' prod ' }, {}, ['env:prod']],
    [{}, { 'deployment.environment.name': 'prod', 'k8s.namespace.name': 'shop' }, ['env:prod', 'namespace:shop']],
    [{ env: 'prod' }, { 'deployment.environment.name': 'staging' }, ['env:prod']],
    [{ namespace: 'monitoring', exported_namespace: 'shop' }, {}, ['namespace:shop']],
    [{ Team: 'payments', team: 'search' }, {}, ['team:payments']],
    [{ team: '', env: 7, region: ['a'] }, {}, []],
    [{ 'cloud.region': 'eu-west-1' }, {}, ['region:eu-west-1']],
  ])('of %j sent by %j are %j', (attributes, source, labels) => {
    expect(labelsOf({ attributes, source })).toEqual(labels);
  });

  it('are cut to what a query may ask for', () => {
    const [label = ''] = labelsOf({ attributes: { team: `a\n${'x'.repeat(500)}` }, source: {} });

    expect(label).toBe('team:a');
    expect(labelsOf({ attributes: { team: 'x'.repeat(500) }, source: {} })[0]).toHaveLength('team:'.length + 100);
  });
});

it('keeps the first ten values of each label', () => {
  const teams = Array.from({ length: 30 }, (_, index) => `team:${30 - index}`);

  const kept = keepLabels([...teams, 'env:a:b']);

  expect(kept).toHaveLength(11);
  expect(presentLabels(kept).team).toContain('30');
  expect(presentLabels(kept).team).not.toContain('20');
  expect(presentLabels(kept).env).toEqual(['a:b']);
});

it('reads what people type', () => {
  expect(readLabelWords('team:payments, ENV: prod eu ,nonsense, squad:a,team:')).toEqual([
    'team:payments',
    'env:prod eu',
  ]);
});
