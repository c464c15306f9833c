/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

export const gitLabDeployment = (status: string) => ({
  object_kind: 'deployment',
  status,
  status_changed_at: '2026-01-31 09:00:00 +0100',
  deployment_id: 15,
  deployable_id: 796,
  environment: 'production',
  environment_tier: 'production',
  project: { id: 30, name: 'Our Payments', path_with_namespace: 'shop/payments', default_branch: 'main' },
  short_sha: '279484c0',
  ref: 'main',
  commit_title: 'Retry the gateway',
});

export const gitLabRelease = {
  object_kind: 'release',
  id: 1,
  created_at: '2026-01-31 08:00:00 UTC',
  released_at: '2026-01-31 08:00:00 UTC',
  tag: 'v1.8.2',
  name: '1.8.2',
  action: 'create',
  project: { id: 30, name: 'Our Payments', path_with_namespace: 'shop/payments' },
};
