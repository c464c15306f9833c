import { z } from 'zod';
import { nameService } from '../../../core/service-name.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import type { Attributes } from '../../../core/telemetry.ts';
import { deployment, shortRevision, Text, timeOf } from '../../vendor-values.ts';

/** What Ansible's `pagerduty_change` names beside others (docs.ansible.com, community.general). */
const Details = z.looseObject({ service: Text, repo: Text, revision: Text, environment: Text }).catch({
  service: '',
  repo: '',
  revision: '',
  environment: '',
});

/**
 * A change event of PagerDuty's Events API v2 at `/v2/change/enqueue` (developer.pagerduty.com, "Change Events", as clients
 * send it, read on 2026-11-26), without the `routing_key`.
 */
export const PagerDutyChange = z.object({
  payload: z.object({ summary: z.string().trim().min(1), source: Text, timestamp: Text, custom_details: Details }),
});
export type PagerDutyChange = z.infer<typeof PagerDutyChange>;

/** A change of the service that its details name, else of the repository, else of what sent it. */
export function readPagerDutyChange({ payload }: PagerDutyChange, now: Date): SignalBatch {
  const { summary, source, timestamp, custom_details: details } = payload;
  const [, repository] = /([^/]+?)(?:\.git)?\/?$/.exec(details.repo) ?? [];
  const { service } = nameService({
    given: [details.service],
    labels: details as Attributes, // what JSON gives
    otherwise: { 'the repository': repository, 'the source': source },
  });
  const version = [shortRevision(details.revision), details.environment].filter(Boolean).join(' to ');
  return deployment(service, details.revision === '' ? summary : version, timeOf(timestamp, now));
}
