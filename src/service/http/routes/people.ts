import { isTimeZone } from '../../../incident/wall-time.ts';
import { NotFoundError } from '../../core/errors.ts';
import { presentPerson } from '../../core/present-schedule.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

type PeopleHandlers = Pick<Handlers, 'listPeople' | 'getPerson' | 'savePerson'>;

/** E-mail addresses are shown to keys that may write: they may know everything. */
export function createPeopleHandlers({ people, now }: Pick<RouteDeps, 'people' | 'now'>): PeopleHandlers {
  return {
    async listPeople({ callerScope }) {
      const all = await people.listPeople();
      return { body: { people: all.map((person) => presentPerson(person, callerScope === 'read-write')) } };
    },

    async getPerson({ id, callerScope }) {
      const person = await people.readPerson(id);
      if (person === null) {
        throw new NotFoundError('person', id);
      }
      return { body: presentPerson(person, callerScope === 'read-write') };
    },

    async savePerson({ id, body }) {
      const {
        name,
        email,
        slack_user_id: slackUserId,
        time_zone: timeZone,
        quiet_hours: quietHours,
        is_gone: isGone,
      } = body;
      if (timeZone && !isTimeZone(timeZone)) {
        throw invalidBody([{ pointer: '/time_zone', detail: 'must be the name of a time zone: Europe/Berlin' }]);
      }
      const identity = { ...(email && { email: email.toLowerCase() }), ...(slackUserId && { slackUserId }) };
      const saved = await people.savePerson(id, { name, ...identity, timeZone, quietHours, isGone }, now());
      if (saved === null) {
        throw new NotFoundError('person', id);
      }
      return { body: presentPerson(saved, true) };
    },
  };
}
