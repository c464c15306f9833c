import type { Child } from 'hono/jsx';
import type { DashboardSession } from '../dashboard-env.ts';
import { NavLink, renderPage } from '../layout.tsx';

const PAGES = [
  ['api-keys', 'API keys'],
  ['integrations', 'Integrations'],
  ['mutes', 'Mutes'],
  ['policies', 'Policies'],
  ['ways', 'Your ways'],
  ['lessons', 'Lessons'],
  ['people', 'People and sessions'],
  ['audit', 'Audit'],
] as const;

interface SettingsFrame {
  readonly title: string;
  readonly current: (typeof PAGES)[number][0];
  readonly session: DashboardSession;
  /** As in `Frame`. */
  readonly now?: Date;
  readonly isPolling?: boolean;
}

export function renderSettingsPage({ current, ...frame }: SettingsFrame, content: Child) {
  return renderPage(
    { ...frame, section: 'settings' },
    <>
      <nav class="tabs" aria-label="Settings">
        {PAGES.map(([page, text]) => (
          <NavLink href={`/dashboard/settings/${page}`} text={text} isCurrent={page === current} />
        ))}
      </nav>
      {content}
    </>,
  );
}
