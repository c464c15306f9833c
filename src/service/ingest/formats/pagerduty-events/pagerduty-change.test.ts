import { expect, it } from 'vitest';
import { PagerDutyChange, readPagerDutyChange } from './pagerduty-change.ts';

const NOW = new Date('2026-01-31T09:00:00Z');
const AT = Date.parse('2026-01-31T08:42:58.315Z');

/** developer.pagerduty.com, "Send a change event", as its clients send it (read on 2026-11-26). */
const BUILD = {
  payload: {
    summary: 'Build Success: Increase snapshot create timeout to 30 seconds',
    timestamp: '2026-01-31T08:42:58.315+0000',
    source: 'acme-build-pipeline-tool-default-i-9999',
    custom_details: { build_state: 'passed', build_number: '2', run_time: '1236s' },
  },
  links: [{ href: 'https://acme.example/build/2', text: 'View more details' }],
};

/** docs.ansible.com, community.general.pagerduty_change (read on 2026-11-26). */
const ANSIBLE = {
  payload: {
    summary: 'the master branch was deployed',
    source: 'Ansible',
    timestamp: '2026-01-31T08:42:58.315+0000',
    custom_details: {
      repo: 'https://github.com/shop/payments.git',
      revision: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
      environment: 'production',
      user: 'ansible',
    },
  },
};

it.each([
  ['of a build', BUILD, 'acme-build-pipeline-tool-default-i-9999', BUILD.payload.summary],
  ['of Ansible', ANSIBLE, 'payments', 'f95f852 to production'],
  [
    'that names its service',
    { payload: { ...BUILD.payload, custom_details: { service: 'orders' } } },
    'orders',
    BUILD.payload.summary,
  ],
])('reads a change %s', (_name, sent, service, subject) => {
  const { signals, telemetry } = readPagerDutyChange(PagerDutyChange.parse(sent), NOW);

  expect(signals).toEqual([]);
  expect(telemetry).toEqual([{ kind: 'change', service, at: AT, subject }]);
});
