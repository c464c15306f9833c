/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

export const argoCdNotification = (phase: string, health: string) => ({
  app: 'payments',
  project: 'shop',
  phase,
  health,
  revision: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
  message: 'one or more objects failed to apply',
  finished_at: '2026-01-31T08:00:00Z',
  url: 'https://argocd.example.com/applications/payments',
});
