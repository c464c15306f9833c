import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import { deployment, NOTHING, shortRevision, Text, timeOf } from '../../vendor-values.ts';

/**
 * Webhooks `deployment_status` and `release` of GitHub (docs.github.com, "Webhook events and payloads", and the schemas
 * of octokit/webhooks, read on 2026-11-25), as JSON or as a form with the JSON in `payload`. Others, such as `ping` and
 * `deployment`, which only asks for one, are accepted and ignored.
 */
export const GitHubEvent = z.object({
  action: Text,
  repository: z.object({ name: Text }).catch({ name: '' }),
  deployment_status: z.object({ state: Text, environment: Text, created_at: Text }).optional(),
  deployment: z.object({ sha: Text, ref: Text, environment: Text }).optional(),
  release: z.object({ tag_name: Text, published_at: Text, draft: z.boolean().catch(false) }).optional(),
});
export type GitHubEvent = z.infer<typeof GitHubEvent>;

export function readGitHubEvent(event: GitHubEvent, now: Date): SignalBatch {
  const { repository, deployment_status: status, deployment: deployed, release, action } = event;
  if (repository.name === '') {
    return NOTHING;
  }
  if (status?.state === 'success' && deployed !== undefined) {
    const environment = status.environment || deployed.environment;
    const version = isBranch(deployed.ref) ? shortRevision(deployed.sha) : deployed.ref;
    return deployment(
      repository.name,
      [version, environment].filter(Boolean).join(' to '),
      timeOf(status.created_at, now),
    );
  }
  if (action === 'published' && release !== undefined && !release.draft) {
    return deployment(repository.name, release.tag_name, timeOf(release.published_at, now));
  }
  return NOTHING;
}

/** A tag tells more than a commit, a branch less. */
function isBranch(ref: string): boolean {
  return !/^v?\d/.test(ref) || /^[0-9a-f]{40}$/i.test(ref);
}
