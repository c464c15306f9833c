import { LRUCache } from 'lru-cache';
import { atMost } from '../../../../runtime/cache-limit.ts';
import { addMinutes } from '../../../../runtime/dates.ts';
import type { PostedAlert } from '../../../core/posted-alert.ts';

/** Alerts of which the end is remembered. Others are looked up. */
const REMEMBERED = 250_000;

/** Prometheus moves the end of a firing alert by a minute with each post; only so much is worth writing. */
const REFRESH_MINUTES = 2;

/** After this time, a replica that still posts the alert knows better than the one that said it is over. */
const CONTRADICTED_MINUTES = 2;

/** What is known of an alert. */
interface Known {
  /** As stored. */
  readonly endsAt: Date;
  readonly isOver: boolean;
}

/** What a post changes. Alerts that are only posted again are in none of the lists. */
export interface PostedChanges {
  /** Fires now and did not before. */
  readonly fired: readonly { readonly alert: PostedAlert; readonly observedAt: Date }[];
  /** Fires on; its end is to be moved. */
  readonly refreshed: readonly PostedAlert[];
  readonly ended: readonly PostedAlert[];
}

/** Finds what is new in posts that repeat everything that fires each minute. */
export interface PostedAlerts {
  /** @param findActive ends of alerts that another process, or an earlier one, has stored */
  compare(
    sender: string,
    alerts: readonly PostedAlert[],
    now: Date,
    findActive: (fingerprints: readonly string[]) => Promise<ReadonlyMap<string, Date>>,
  ): Promise<PostedChanges>;
  /** Call it once the changes are durable. */
  remember(sender: string, changes: PostedChanges): void;
}

export function createPostedAlerts(): PostedAlerts {
  const known = new LRUCache<string, Known>(atMost(REMEMBERED));
  const keyOf = (sender: string, fingerprint: string) => `${sender} ${fingerprint}`;

  return {
    async compare(sender, alerts, now, findActive) {
      const unknown = alerts.filter(({ fingerprint }) => !known.has(keyOf(sender, fingerprint)));
      const stored = unknown.length === 0 ? null : await findActive(unknown.map(({ fingerprint }) => fingerprint));
      const changes = {
        fired: [] as PostedChanges['fired'][number][],
        refreshed: [] as PostedAlert[],
        ended: [] as PostedAlert[],
      };
      for (const alert of alerts) {
        const end = stored?.get(alert.fingerprint);
        const before =
          known.get(keyOf(sender, alert.fingerprint)) ?? (end === undefined ? null : { endsAt: end, isOver: false });
        if (alert.endsAt <= now) {
          if (before?.isOver !== true || alert.endsAt > before.endsAt) {
            changes.ended.push(alert);
          }
        } else if (before === null) {
          changes.fired.push({ alert, observedAt: alert.startsAt });
        } else if (before.isOver) {
          changes.fired.push(...firesAgain(alert, before, now));
        } else if (before.endsAt <= now) {
          changes.fired.push({ alert, observedAt: now }); // nobody posted it for a while
        } else if (alert.endsAt > addMinutes(before.endsAt, REFRESH_MINUTES)) {
          changes.refreshed.push(alert);
        }
      }
      return changes;
    },

    remember(sender, { fired, refreshed, ended }) {
      for (const alert of [...fired.map((each) => each.alert), ...refreshed]) {
        known.set(keyOf(sender, alert.fingerprint), { endsAt: alert.endsAt, isOver: false });
      }
      for (const { fingerprint, endsAt } of ended) {
        known.set(keyOf(sender, fingerprint), { endsAt, isOver: true });
      }
    },
  };
}

function firesAgain(alert: PostedAlert, { endsAt }: Known, now: Date): PostedChanges['fired'] {
  if (alert.startsAt > endsAt) {
    return [{ alert, observedAt: alert.startsAt }];
  }
  return now > addMinutes(endsAt, CONTRADICTED_MINUTES) ? [{ alert, observedAt: now }] : [];
}
