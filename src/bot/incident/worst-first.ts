import { sql } from 'kysely';
import { WORST_FIRST } from '../../incident/severity.ts';

/** The order of incidents in storms and Home, as in lists of the service: the most severe first, of these the oldest. */
export const WORST = sql`array_position(${WORST_FIRST}::text[], incident->>'severity'), opened_at, incident_id`;
