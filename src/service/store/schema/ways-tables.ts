import { sql } from 'kysely';

/** What ways need that are polled and cost money; quiet hours of people; a second ring for what was taken. */
export const addWays = sql`
  alter table page_attempts
    add column reference text,
    add column doubts integer not null default 0;
  create index page_attempts_spent on page_attempts (began_at) where kind in ('sms', 'call');

  alter table people
    add column quiet_from text,
    add column quiet_until text;

  alter table pages add column is_reminder boolean not null default false;
`;
