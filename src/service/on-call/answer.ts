import type { Kysely } from 'kysely';
import { type Actor, idOfEmail, idOfSlackUser } from '../../contract/actor.ts';
import { acknowledge } from '../core/incident-changes.ts';
import type { KnownPerson } from '../core/known-person.ts';
import { changeIncident } from '../store/incidents/change-incident.ts';
import { type AskedAttempt, findAsked, lockAsked, recordAnswer } from '../store/pages/answers.ts';
import { endPage, takeBackBegun } from '../store/pages/follow-pages.ts';
import type { Tx } from '../store/pages/page-store.ts';
import { createPeopleStore } from '../store/people/people-store.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { readAnswerToken } from './answer-token.ts';
import { askedAt } from './waking/policy.ts';

/** What somebody is asked by the link of an attempt. */
export interface Asked extends Pick<AskedAttempt, 'incidents' | 'isDrill' | 'isAnswered'> {
  readonly person: Actor;
  readonly isTest: boolean;
  /** Whether more people have to answer for something that the message listed. Before the answer: false. */
  readonly asksMore: boolean;
}

export interface Answers {
  /** null: the link is not one of ours, or too old. */
  find(token: string): Promise<Asked | null>;
  /**
   * Says that the person has what the message listed, and nothing that opened since. Repeating it changes nothing.
   *
   * @returns what was asked before; null: as `find`
   */
  answer(token: string): Promise<Asked | null>;
  /** The same where it is known who has answered which attempt: by its provider, or by a bot. @returns null: there is none */
  answerAttempt(id: string): Promise<Asked | null>;
}

export function createAnswers(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly answerSecret: () => Promise<Buffer>;
  readonly now: () => Date;
}): Answers {
  const { db, now } = deps;

  type Use = (tx: Tx, attempt: AskedAttempt, person: Actor) => Promise<Pick<Asked, 'asksMore'>>;

  async function withAttempt(token: string, use: (id: string) => Promise<Asked | null>) {
    const attemptId = readAnswerToken(token, await deps.answerSecret());
    return attemptId === null ? null : use(attemptId);
  }

  function read(attemptId: string, use: Use, isByLink: boolean): Promise<Asked | null> {
    return db.transaction().execute(async (tx): Promise<Asked | null> => {
      const attempt = await findAsked(tx, attemptId);
      if (attempt === null || (isByLink && attempt.isOld)) {
        return null;
      }
      // By this connection: to wait for another one while it is held is to wait for others who do the same.
      const known = attempt.personId === null ? null : await createPeopleStore(tx).readPerson(attempt.personId);
      const person = known === null ? { by: 'somebody in the channel' } : actorOf(known);
      const { asksMore } = await use(tx, attempt, person);
      const { incidents, isDrill, isAnswered, pageId } = attempt;
      return { person, incidents, isDrill, isAnswered, isTest: pageId === null, asksMore };
    });
  }

  function answer(id: string, isByLink: boolean): Promise<Asked | null> {
    const take: Use = async (tx, attempt, person) => {
      const at = now();
      const pages = await lockAsked(tx, attempt.listed);
      const answers = await recordAnswer(tx, attempt, at);
      let asksMore = false;
      for (const { id: pageId, incidentId, isReminder, policy, position } of pages) {
        if (incidentId === null || isReminder) {
          await endPage(tx, pageId, person, at);
        } else if ((answers.get(pageId) ?? 0) >= askedAt(policy, position).acks) {
          await changeIncident(tx, incidentId, (incident) => acknowledge(incident, person, at));
        } else {
          asksMore = true;
          if (attempt.personId !== null) {
            await takeBackBegun(tx, pageId, attempt.personId);
          }
        }
      }
      return { asksMore };
    };
    return read(id, take, isByLink);
  }

  return {
    answerAttempt: (id) => answer(id, false),
    find: (token) => withAttempt(token, (id) => read(id, async () => ({ asksMore: false }), true)),
    answer: (token) => withAttempt(token, (id) => answer(id, true)),
  };
}

/** As actions name a person, see `Actor`. */
function actorOf({ id, name, email, slackUserId }: KnownPerson): Actor {
  const byEmail = email === null ? id : idOfEmail(email);
  return { by: name, byId: slackUserId === null ? byEmail : idOfSlackUser(slackUserId) };
}
