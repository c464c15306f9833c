import { sql } from 'kysely';

/** Who has answered a page is asked before each of its steps, and at each answer. */
export const addAnsweredIndex = sql`
  create index page_attempts_answered on page_attempts using gin (listed) where state = 'answered'`;
