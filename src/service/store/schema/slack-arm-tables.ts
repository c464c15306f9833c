import { sql } from 'kysely';

/**
 * Events for the bots that wake people; records of one person that became one; who took a swap and when, so that it can be
 * given back; the user group of Slack that a schedule goes with.
 */
export const addSlackArm = sql`
  alter table events add column page jsonb, drop constraint events_check,
    add check (num_nonnulls(incident, integration, sign_in, page) = 1);

  alter table people add column merged_into text references people (id);

  alter table schedule_swaps add column offered_to text references people (id), add column override_id text,
    add column answered_at timestamptz(3);
  update schedule_swaps set offered_to = taker where state = 'asked';

  alter table schedules add column slack_group jsonb;
`;
