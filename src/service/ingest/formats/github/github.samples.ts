/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

export const gitHubDeployment = (state: string) => ({
  action: 'created',
  deployment_status: {
    id: 2,
    state,
    environment: 'production',
    description: '',
    target_url: '',
    created_at: '2026-01-31T08:00:00Z',
  },
  deployment: {
    id: 1,
    sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
    ref: 'main',
    task: 'deploy',
    environment: 'production',
    created_at: '2026-01-31T07:59:00Z',
  },
  repository: { id: 3, name: 'payments', full_name: 'shop/payments' },
  sender: { login: 'ana' },
});

export const gitHubRelease = (action: string) => ({
  action,
  release: {
    id: 4,
    tag_name: 'v1.8.2',
    name: '1.8.2',
    draft: false,
    prerelease: false,
    published_at: '2026-01-31T08:00:00Z',
  },
  repository: { id: 3, name: 'payments', full_name: 'shop/payments' },
});
