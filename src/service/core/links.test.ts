import { describe, expect, it } from 'vitest';
import { linksIn } from './links.ts';

describe('the links of a signal', () => {
  it('are the addresses that its attributes name, each once', () => {
    const attributes = {
      runbook_url: 'https://wiki.example/runbooks/disk',
      dashboard_url: ' http://grafana.example/d/1 ',
      generator_url: 'https://wiki.example/runbooks/disk',
      other_url: 'https://elsewhere.example',
    };

    expect(linksIn(attributes, [{ kind: 'generator', url: 'http://prometheus.example/graph?g0.expr=up' }])).toEqual([
      { kind: 'runbook', url: 'https://wiki.example/runbooks/disk' },
      { kind: 'dashboard', url: 'http://grafana.example/d/1' },
      { kind: 'generator', url: 'http://prometheus.example/graph?g0.expr=up' },
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://files.example',
    'https://ana:secret@wiki.example',
    'wiki.example/runbook',
    '',
    `https://wiki.example/${'x'.repeat(2_000)}`,
    42,
    null,
    ['https://wiki.example'],
  ])('never include %j', (url) => {
    expect(linksIn({ runbook_url: url })).toEqual([]);
  });

  it('are at most six, with addresses of at most 2,000 characters', () => {
    const pages = Array.from({ length: 9 }, (_, page) => ({
      kind: 'dashboard' as const,
      url: `https://grafana.example/d/${page}`,
    }));

    expect(linksIn({}, pages)).toHaveLength(6);
    expect(linksIn({ runbook_url: `https://wiki.example/${'x'.repeat(1_979)}` })).toHaveLength(1);
  });
});
