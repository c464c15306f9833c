import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { PolicyPlan, type WakeFilter } from '../../../contract/waking.ts';
import { looksLikeLabels, MUTE_LABELS_HELP, readMuteLabels } from '../../core/mute-labels.ts';
import { actorOfPerson } from '../../core/session.ts';
import { readPathParameter, StorableText } from '../../http/storable-text.ts';
import type { Waking } from '../../on-call/waking.ts';
import { whoIsWoken } from '../../on-call/who-is-woken.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { PolicyStore } from '../../store/pages/policy-store.ts';
import type { PeopleStore } from '../../store/people/people-store.ts';
import type { ScheduleStore } from '../../store/schedules/schedule-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { SERVICES_TO_CHOOSE as CHOICES } from '../query-fields.ts';
import { refusals } from '../refusals.ts';
import { demandRole } from '../session/guard.ts';
import { FORM_STEPS, type PoliciesView, renderPoliciesPage, type TypedPolicy } from './policies-page.tsx';

const PATH = '/settings/policies';

const Typed = z.record(z.string(), z.string().catch(''));

interface PoliciesDeps {
  readonly policies: PolicyStore;
  readonly people: PeopleStore;
  readonly schedules: Pick<ScheduleStore, 'listSchedules'>;
  readonly incidents: Pick<IncidentStore, 'listServices'>;
  readonly waking: Pick<Waking, 'resolving' | 'dryRun'>;
  readonly whyNoPager: readonly string[];
  readonly now: () => Date;
}

export function bindPolicies(dashboard: Hono<DashboardEnv>, deps: PoliciesDeps): void {
  const { policies, people, schedules, incidents, waking, whyNoPager, now } = deps;

  const show = async (
    c: Context<DashboardEnv>,
    typed: TypedPolicy,
    fault: string | null,
    dryRun: PoliciesView['dryRun'] = null,
  ) => {
    const service = StorableText.trim().max(255).safeParse(c.req.query('service')).data ?? '';
    const listed = await policies.list();
    const view = {
      session: c.get('session'),
      policies: listed,
      whyNoPager,
      typed,
      fault,
      now: now(),
      people: (await people.listPeople()).filter(({ goneAt }) => goneAt === null),
      schedules: await schedules.listSchedules(now()),
      services: await incidents.listServices(CHOICES),
      dryRun: dryRun ?? (await dryRunOf(c.req.query('dry-run'))),
      woken: service === '' ? null : await whoIsWoken(service, listed, now(), waking.resolving),
    };
    return c.html(renderPoliciesPage(view), fault === null ? 200 : 422);
  };

  const dryRunOf = async (id: string | undefined): Promise<PoliciesView['dryRun']> => {
    const policy = id === undefined ? null : await policies.find(id);
    return policy && { name: policy.name, run: await waking.dryRun(policy, policy.id) };
  };

  dashboard.get(PATH, (c) => show(c, {}, null));

  dashboard.post(PATH, async (c) => {
    demandRole(c, 'admin');
    const typed = Typed.parse(await c.req.parseBody());
    const what = readWhat(typed.what);
    if (what === null) {
      return show(c, typed, `The filter ${MUTE_LABELS_HELP}.`);
    }
    const plan = PolicyPlan.safeParse(planOf(typed, what));
    if (!plan.success) {
      return show(c, typed, 'A policy needs a name and somebody in its first step.');
    }
    if (typed.do === 'dry-run') {
      return show(c, typed, null, { name: plan.data.name, run: await waking.dryRun(plan.data, null) });
    }
    return refusals(
      async () => {
        await policies.create(plan.data, actorOfPerson(c.get('session').person), now());
        return c.redirect(`/dashboard${PATH}`, 303);
      },
      (fault) => show(c, typed, fault),
    );
  });

  // One that was deleted meanwhile is gone too.
  dashboard.post(`${PATH}/:id/delete`, async (c) => {
    demandRole(c, 'admin');
    await policies.delete(readPathParameter(c.req.param('id')));
    return c.redirect(`/dashboard${PATH}`, 303);
  });

  dashboard.post(`${PATH}/:id/drill`, async (c) => {
    demandRole(c, 'admin');
    const policy = await policies.find(readPathParameter(c.req.param('id')));
    if (policy !== null) {
      await policies.drill(policy, now());
    }
    return c.redirect(`/dashboard${PATH}`, 303);
  });
}

/** @returns names of services and labels; null: something looks like a label and is none */
function readWhat(what = ''): Pick<WakeFilter, 'services' | 'labels'> | null {
  const words = what.split(',').flatMap((word) => word.trim() || []);
  const [labels, services] = [words.filter(looksLikeLabels), words.filter((word) => !looksLikeLabels(word))];
  const read = labels.length === 0 ? [] : readMuteLabels(labels.join(','));
  return (
    read && {
      services: [...services, ...read.flatMap((word) => /^service:(.+)/.exec(word)?.[1] ?? [])],
      labels: read.filter((word) => !word.startsWith('service:')),
    }
  );
}

/** @returns a plan that the contract has yet to check */
function planOf(typed: TypedPolicy, what: object): unknown {
  const steps = FORM_STEPS.flatMap((step) => {
    const to = targetsOf(typed[`whom${step}`]);
    return to.length === 0 ? [] : [{ to, after_s: step === 1 ? 0 : Number(typed[`wait${step}`] ?? 0) }];
  });
  return {
    name: typed.name,
    filter: {
      ...what,
      severities: (typed.severity ?? '').split(',').filter((word) => word !== ''),
    },
    steps,
    hold_s: Number(typed.hold ?? 0),
    last_resort: targetsOf(typed.last),
  };
}

/** @param chosen `schedule:` or `person:` and an id; empty: nobody */
function targetsOf(chosen = '') {
  const [, kind, id] = /^(schedule|person):(.+)$/.exec(chosen) ?? [];
  return id === undefined ? [] : [{ kind, id }];
}
