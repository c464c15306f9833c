import { sql } from 'kysely';

/** Mutes that start later, and mutes by labels. When its time comes, a plan makes a mute. */
export const addMutePlans = sql`
  alter table mutes drop constraint mutes_target_check, add patterns jsonb,
    add constraint mutes_target_check check (target in ('incident', 'service', 'integration', 'labels'));

  create table mute_plans (
    id text primary key,
    target text not null,
    value text not null,
    starts_at timestamptz(3) not null,
    until timestamptz(3) not null,
    repeat text check (repeat in ('day', 'week')),
    time_zone text not null,
    reason text,
    created_by text not null,
    created_at timestamptz(3) not null,
    unique (target, value, starts_at)
  );
`;

/** The times of day of a plan are those of its first time, whatever the change of the clocks did to the last one. */
export const addFirstTimes = sql`
  alter table mute_plans add first_starts_at timestamptz(3), add first_until timestamptz(3);
`;
