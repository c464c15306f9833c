import { createHash } from 'node:crypto';
import type { Policy, PolicyPlan, WakeTarget } from '../../../contract/waking.ts';
import { NotFoundError } from '../../core/errors.ts';
import { maskUrl } from '../../core/present-schedule.ts';
import type { StoredPolicy } from '../../store/pages/policy-store.ts';
import { actorOf } from '../actor-of.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

type PolicyHandlers = Pick<
  Handlers,
  'listPolicies' | 'createPolicy' | 'replacePolicy' | 'deletePolicy' | 'drillPolicy' | 'dryRunPolicy'
>;

export function createPolicyHandlers({
  policies,
  people,
  schedules,
  waking,
  now,
}: Pick<RouteDeps, 'policies' | 'people' | 'schedules' | 'waking' | 'now'>): PolicyHandlers {
  /**
   * People by their ids, addresses in full. What the policy had before stays, also what is gone.
   *
   * @throws {RequestError} when nobody would be woken by a target
   */
  async function whole(plan: PolicyPlan, before: StoredPolicy | null): Promise<PolicyPlan> {
    const had = new Set(before === null ? [] : targetsOf(before).map(keyOf));
    const ids = new Map<string, string>();
    for (const target of targetsOf(plan)) {
      if (target.kind === 'channel' || had.has(keyOf(target))) {
        continue;
      }
      const { kind, id } = target;
      const found = await (kind === 'person' ? people.readPerson(id) : schedules.readSchedule(id));
      if (found === null) {
        throw invalidBody([{ pointer: '', detail: `wakes the ${kind} ${id}, which does not exist` }]);
      }
      ids.set(keyOf(target), found.id);
    }
    const named = changeTargets(plan, (target) =>
      target.kind === 'channel' ? target : { ...target, id: ids.get(keyOf(target)) ?? target.id },
    );
    return withUrls(named, before);
  }

  return {
    async listPolicies() {
      return { body: { policies: (await policies.list()).map(presentPolicy) } };
    },

    async createPolicy({ body, callerName }) {
      const { user: _user, user_id: _userId, ...plan } = body;
      const created = await policies.create(await whole(plan, null), actorOf(body, callerName), now());
      return { body: presentPolicy(created), headers: { location: `/v1/policies/${created.id}` } };
    },

    async replacePolicy({ id, body, callerName }) {
      const { user: _user, user_id: _userId, ...plan } = body;
      const replaced = await policies.replace(
        id,
        await whole(plan, await policies.find(id)),
        actorOf(body, callerName),
        now(),
      );
      if (replaced === null) {
        throw new NotFoundError('policy', id);
      }
      return { body: presentPolicy(replaced) };
    },

    async deletePolicy({ id }) {
      if (!(await policies.delete(id))) {
        throw new NotFoundError('policy', id);
      }
      return { body: null };
    },

    async dryRunPolicy({ body: { replaces = null, ...plan } }) {
      return { body: await waking.dryRun(plan, replaces) };
    },

    async drillPolicy({ id }) {
      const policy = await policies.find(id);
      if (policy === null) {
        throw new NotFoundError('policy', id);
      }
      return { body: { page_id: await policies.drill(policy, now()) }, headers: { location: '/v1/pages' } };
    },
  };
}

function changeTargets(plan: PolicyPlan, change: (target: WakeTarget) => WakeTarget): PolicyPlan {
  const steps = plan.steps.map((step) => ({ ...step, to: step.to.map(change) }));
  return { ...plan, steps, last_resort: plan.last_resort.map(change) };
}

function changeUrls(plan: PolicyPlan, change: (url: string) => string): PolicyPlan {
  return changeTargets(plan, (target) => (target.kind === 'channel' ? { ...target, url: change(target.url) } : target));
}

function targetsOf({ steps, last_resort: last }: PolicyPlan): WakeTarget[] {
  return [...steps.flatMap(({ to }) => to), ...last];
}

function keyOf(target: WakeTarget): string {
  return `${target.kind} ${target.kind === 'channel' ? target.url : target.id}`;
}

function urlsOf(plan: PolicyPlan): string[] {
  return [...new Set(targetsOf(plan).flatMap((target) => (target.kind === 'channel' ? [target.url] : [])))];
}

/**
 * A masked address in a changed policy is the one that it has already. A new policy has none.
 *
 * @throws {RequestError} when it is none of them, or could be several
 */
function withUrls(plan: PolicyPlan, before: StoredPolicy | null): PolicyPlan {
  const known = before === null ? [] : urlsOf(before);
  return changeUrls(plan, (url) => {
    if (!url.startsWith(maskUrl(url))) {
      return url;
    }
    const [meant, ...others] = known.filter((each) => url === maskUrl(each) || url === longMask(each));
    if (meant === undefined || others.length > 0) {
      const detail = `has the masked address ${url}, and it is not known which one that is: give it in full`;
      throw invalidBody([{ pointer: '', detail }]);
    }
    return meant;
  });
}

/** With a digest, where others have the same origin. */
function longMask(url: string): string {
  return `${maskUrl(url)}${createHash('sha256').update(url).digest('hex').slice(0, 6)}`;
}

function presentPolicy(policy: StoredPolicy): Policy {
  const { createdAt: _createdAt, changedAt, changedBy, ...plan } = policy;
  const masks = urlsOf(plan).map(maskUrl);
  const isAlone = (url: string) => masks.filter((mask) => mask === maskUrl(url)).length === 1;
  return {
    ...changeUrls(plan, (url) => (isAlone(url) ? maskUrl(url) : longMask(url))),
    id: policy.id,
    changed_at: changedAt.toISOString(),
    changed_by: changedBy.by,
    changed_by_id: changedBy.byId ?? null,
  };
}
