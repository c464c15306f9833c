import type { Policy, PolicyPlan, WakeTarget } from '../../../contract/waking.ts';
import { NotFoundError } from '../../core/errors.ts';
import { maskUrl } from '../../core/present-schedule.ts';
import type { StoredPolicy } from '../../store/pages/policy-store.ts';
import { actorOf } from '../actor-of.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type PolicyHandlers = Pick<
  Handlers,
  'listPolicies' | 'createPolicy' | 'replacePolicy' | 'deletePolicy' | 'drillPolicy' | 'dryRunPolicy'
>;

export function createPolicyHandlers({
  policies,
  waking,
  now,
}: Pick<RouteDeps, 'policies' | 'waking' | 'now'>): PolicyHandlers {
  return {
    async listPolicies() {
      return { body: { policies: (await policies.list()).map(presentPolicy) } };
    },

    async createPolicy({ body, callerName }) {
      const { user: _user, user_id: _userId, ...plan } = body;
      const created = await policies.create(plan, actorOf(body, callerName), now());
      return { body: presentPolicy(created), headers: { location: `/v1/policies/${created.id}` } };
    },

    async replacePolicy({ id, body, callerName }) {
      const { user: _user, user_id: _userId, ...plan } = body;
      const whole = withUrls(plan, await policies.find(id));
      const replaced = await policies.replace(id, whole, actorOf(body, callerName), now());
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

function changeUrls(plan: PolicyPlan, change: (url: string) => string): PolicyPlan {
  const changed = (to: readonly WakeTarget[]): WakeTarget[] =>
    to.map((target) => (target.kind === 'channel' ? { ...target, url: change(target.url) } : target));
  const steps = plan.steps.map((step) => ({ ...step, to: changed(step.to) }));
  return { ...plan, steps, last_resort: changed(plan.last_resort) };
}

/** A masked address in a changed policy is the one that it has already. */
function withUrls(plan: PolicyPlan, before: StoredPolicy | null): PolicyPlan {
  const targets = before === null ? [] : [...before.steps.flatMap(({ to }) => to), ...before.last_resort];
  const urls = targets.flatMap((target) => (target.kind === 'channel' ? [target.url] : []));
  return changeUrls(plan, (url) => urls.find((known) => maskUrl(known) === url) ?? url);
}

function presentPolicy(policy: StoredPolicy): Policy {
  const { createdAt: _createdAt, changedAt, changedBy, ...plan } = policy;
  return {
    ...changeUrls(plan, maskUrl),
    id: policy.id,
    changed_at: changedAt.toISOString(),
    changed_by: changedBy.by,
    changed_by_id: changedBy.byId ?? null,
  };
}
