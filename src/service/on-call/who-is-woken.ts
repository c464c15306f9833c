import type { OnCallAnswer } from '../../contract/waking.ts';
import { isNamed } from '../../incident/label-filter.ts';
import { type ResolveDeps, resolveTargets } from './resolve.ts';
import type { WakePolicy } from './waking/policy.ts';

/**
 * Who would be woken now for an incident of a service, by what and why. What is not known before an incident, such as its
 * severity, matches.
 */
export async function whoIsWoken(
  service: string,
  policies: readonly WakePolicy[],
  at: Date,
  deps: ResolveDeps,
): Promise<OnCallAnswer> {
  const policy = policies.find(
    ({ filter: { services } }) => services.length === 0 || services.some((wanted) => isNamed(wanted, service)),
  );
  if (policy === undefined) {
    return { service, policy: null, steps: [] };
  }
  const steps = [];
  for (const step of policy.steps) {
    const { people, channels, skipped } = await resolveTargets(step, at, deps);
    steps.push({
      after_s: step.after_s,
      people: people.map(({ personId, name, because, ways }) => ({
        id: personId,
        name,
        because,
        ways: ways.map(({ way, afterS }) => ({
          kind: way.kind,
          after_s: afterS,
          last_answered_at: way.lastAnsweredAt?.toISOString() ?? null,
        })),
      })),
      channels: channels.length,
      skipped: [...skipped],
    });
  }
  return { service, policy: { id: policy.id, name: policy.name }, steps };
}
