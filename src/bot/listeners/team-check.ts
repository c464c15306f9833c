import type { AllMiddlewareArgs, AnyMiddlewareArgs } from '@slack/bolt';
import { z } from 'zod';
import { mayNotAct } from '../actions/refusal-words.ts';
import { answering } from './answering.ts';
import type { ListenerDeps } from './deps.ts';

const Team = z.object({ id: z.string().nullish() }).nullish();

/**
 * Where Slack names a workspace: commands and events at the top, clicks and forms in `team`. In a shared channel `team`
 * is the person's own workspace, `app_installed_team_id` the one that has the app, and `authorizations` name all that
 * have it. All are null for an app that a whole organization installed.
 */
const Delivery = z.object({
  team_id: z.string().nullish(),
  team: Team,
  view: z.object({ app_installed_team_id: z.string().nullish() }).nullish(),
  authorizations: z.array(z.object({ team_id: z.string().nullish() })).nullish(),
  user: z.object({ id: z.string(), team_id: z.string().nullish() }).nullish().catch(null),
  user_id: z.string().nullish(),
  channel: Team.catch(null),
  channel_id: z.string().nullish(),
});
type Delivery = z.infer<typeof Delivery>;

/** Whether the delivery is for the workspace that the bot is signed in to. */
function isFor(teamId: string, { team_id, team, view, authorizations }: Delivery): boolean {
  const named = [
    team_id,
    team?.id,
    view?.app_installed_team_id,
    ...(authorizations ?? []).map((each) => each.team_id),
  ].filter((id) => id !== null && id !== undefined);
  return named.length === 0 || named.includes(teamId);
}

/** Drops deliveries for other workspaces. A person who caused one is told why nothing happened. */
export function createTeamCheck(
  deps: Pick<ListenerDeps, 'people' | 'store' | 'logger'> & {
    /** The bot's workspace; null: not signed in yet. */
    readonly teamId: () => string | null;
  },
) {
  return async (args: AnyMiddlewareArgs & AllMiddlewareArgs): Promise<void> => {
    const ours = deps.teamId();
    const parsed = Delivery.safeParse(args.body);
    const { id, team_id: theirs } = parsed.data?.user ?? {};
    if (id !== undefined && theirs) {
      deps.people.noteTeam(id, theirs);
    }
    if (ours === null || (parsed.success && isFor(ours, parsed.data))) {
      return args.next();
    }
    if ('ack' in args && args.ack !== undefined) {
      await args.ack();
    }
    deps.logger.warn({ teamId: parsed.data?.team_id ?? parsed.data?.team?.id }, 'a request for another workspace');
    const slackUserId = parsed.data?.user?.id ?? parsed.data?.user_id ?? null;
    if (slackUserId === null || !('respond' in args)) {
      return;
    }
    const channelId = parsed.data?.channel?.id ?? parsed.data?.channel_id ?? null;
    const asker = { slackUserId, channelId, what: 'request for another workspace' };
    await answering(deps, asker, args.respond, async (answer) => {
      const entry = { action: asker.what, incidentId: null, slackUserId, userName: null, channelId, origin: null };
      await deps.store.auditLog.record({ ...entry, outcome: 'refused', detail: 'stranger' });
      await answer(mayNotAct({ kind: 'stranger' }));
    });
  };
}
