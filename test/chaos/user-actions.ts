import { addMinutes } from 'date-fns/addMinutes';
import type { LocalSlack } from 'local-slack';
import { NOTE_FORMS } from '../../src/bot/rooms/note/ids.ts';
import { STEER_FORMS } from '../../src/bot/rooms/steer/ids.ts';
import { parseSteerContext } from '../../src/bot/rooms/steer/steer-modal.ts';
import { PEOPLE, type SentNote } from './people.ts';
import type { Field } from './plan.ts';
import type { World } from './world.ts';

type View = ReturnType<LocalSlack['openViews']>[number];
type Context = NonNullable<ReturnType<typeof parseSteerContext>>;
type Shown = Promise<{ readonly shown: string | null }>;

/** Until a planned mute starts. */
const PLANNED_MINUTES = 2;
/** As local Slack has them. */
const TIME_ZONES: Readonly<Record<string, string>> = { ana: 'Europe/Lisbon', ben: 'America/New_York' };

const serviceName = (kind: string, subject: number) => `${kind}-${String(subject).padStart(3, '0')}`;

/** What people type, submit in forms, and take back. */
export function createUserActions(
  { slack, service, clock, shape }: World,
  ask: (person: string, what: string, about: string | null, asked: Shown) => void,
) {
  const notes: SentNote[] = [];
  const timelineNotes: SentNote[] = [];
  /** Which field somebody wants to change in the form that they opened. */
  const wanted = new Map<string, Field>();
  /** Services that something besides an incident is about. */
  const named = new Set<string>();
  /** Forms that wait for a response: as in Slack, their button does nothing until then. */
  const submitting = new Set<string>();
  let changes = 0;

  const rootOf = (id: string) => service.incident(id).rootService;
  const somebodyElse = (id: string | null) =>
    PEOPLE.map((person) => slack.as(person)).find((each) => each.id !== id)?.id ?? '';

  /** What is typed or chosen, so that the form always asks for something. */
  const fill: Readonly<Record<Field, (context: Context, root: string) => Record<string, string | string[]>>> = {
    title: (_context, root) => ({ Title: `${root} is slow, try ${changes}` }),
    severity: ({ before }) => ({ Severity: before.severity === 'critical' ? 'warning' : 'critical' }),
    root: ({ before }, root) => ({ 'Root service': before.root_service === null ? `${root}-db` : '=' }),
    lead: ({ leadId }) => ({ Leads: [somebodyElse(leadId)] }),
    communications: ({ communicationsId }) => ({ Communicates: [somebodyElse(communicationsId)] }),
  };

  function command(person: string, what: string, about: string, typed: string): Shown {
    const made = slack.as(person).command('incidents', `/incidents ${typed}`);
    ask(person, what, about, made);
    return made;
  }

  async function submitForm(
    person: string,
    view: View,
    fields: Record<string, string | string[]>,
  ): Promise<{ readonly shown: string | null }> {
    submitting.add(view.id);
    const { shown, errors } = await slack.as(person).submit(view, fields);
    submitting.delete(view.id);
    return { shown: shown ?? Object.values(errors)[0] ?? null };
  }

  /** Remembers a note until it is known whether the app has taken it. */
  function keep(kept: SentNote[], sent: Omit<SentNote, 'isTaken'>, answered: Shown): void {
    const note: SentNote = { ...sent, isTaken: undefined };
    kept.push(note);
    void answered.then(({ shown }) => {
      note.isTaken = shown === null;
    });
  }

  function submitChange(person: string, view: View): void {
    const context = parseSteerContext(view.content.private_metadata);
    if (context === null) {
      return;
    }
    changes += 1;
    const root = rootOf(context.incidentId);
    const field = wanted.get(person) ?? 'title';
    const isOffered = field !== 'root' || JSON.stringify(view.content).includes(`"${root}-db"`);
    const fields = fill[isOffered ? field : 'title'](context, root);
    ask(person, `a change of the ${field}`, root, submitForm(person, view, fields));
  }

  /** Adds a message to the newest open incident, if the form shows one. */
  function submitTimelineNote(person: string, view: View): void {
    const selected = JSON.stringify(view.content.blocks).match(/"initial_option":\{[^}]*"value":"([^"]+)"/)?.[1];
    const incidentId = service.incidentIds().find((id) => id === selected);
    if (incidentId !== undefined) {
      const note = `seen here, note ${timelineNotes.length + 1}.`;
      const answered = submitForm(person, view, { Note: note });
      keep(timelineNotes, { person, incidentId, note }, answered);
      ask(person, 'a note for the timeline', rootOf(incidentId), answered);
    }
  }

  function submitResolution(person: string, view: View): void {
    const { private_metadata: context } = view.content;
    const incidentId = service.incidentIds().find((id) => context.includes(`"${id}"`));
    if (incidentId !== undefined) {
      const note = `put it right, try ${notes.length + 1}`;
      const answered = submitForm(person, view, { 'Resolution note': note });
      keep(notes, { person, incidentId, note }, answered);
      ask(person, 'note', rootOf(incidentId), answered);
    }
  }

  return {
    notes,
    timelineNotes,
    /** Submits the form on top, if somebody has one open. */
    submit(person: string): void {
      const view = slack.openViews(person).at(-1);
      if (view !== undefined && submitting.has(view.id)) {
        return;
      }
      if (view?.content.callback_id === NOTE_FORMS.note) {
        submitTimelineNote(person, view);
      } else if (view?.content.callback_id === STEER_FORMS.steer) {
        submitChange(person, view);
      } else if (view !== undefined) {
        submitResolution(person, view);
      }
    },
    declare(person: string, subject: number): void {
      const name = serviceName('declared', subject);
      named.add(name);
      void command(person, 'declare', name, `declare ${name} nothing of ${name} works`);
    },
    mute(person: string, subject: number, isPlanned: boolean): void {
      const name = serviceName('backup', subject);
      named.add(name);
      const from = addMinutes(clock.now(), PLANNED_MINUTES).toLocaleTimeString('en-GB', {
        timeZone: TIME_ZONES[person] ?? 'UTC',
        timeStyle: 'short',
      });
      void command(person, 'mute', name, `snooze service:${name} 2h ${isPlanned ? `from ${from} ` : ''}upgrade`);
    },
    openChange(person: string, field: Field, incidentId: string | undefined): void {
      if (incidentId !== undefined) {
        wanted.set(person, field);
        void command(person, 'the form of a change', rootOf(incidentId), `change ${incidentId}`);
      }
    },
    snooze(person: string, incidentId: string | undefined): void {
      if (incidentId !== undefined && shape === 'added') {
        void command(person, 'snooze', rootOf(incidentId), `snooze ${incidentId} 1h`);
      }
    },
    type(person: string, word: 'ack' | 'resolve', incidentId: string | undefined): void {
      if (incidentId === undefined) {
        return;
      }
      const note = `typed it right, try ${notes.length + 1}`;
      const typed = `${word} ${incidentId}${word === 'resolve' ? ` ${note}` : ''}`;
      const made = command(person, word, rootOf(incidentId), typed);
      if (word === 'resolve') {
        keep(notes, { person, incidentId, note }, made);
      }
    },
    /** Presses a button of a receipt. Only plans are cancelled: a note that waits is kept. */
    takeBack(person: string, label: 'Undo' | 'Cancel', pick: number): void {
      const receipts = slack
        .ephemerals(person, 'incidents')
        .filter(({ blocks }) => JSON.stringify(blocks).includes(`"${label}"`))
        .filter(({ text }) => label === 'Undo' || text.includes('Planned: '));
      const receipt = receipts.at(pick % receipts.length);
      const names = [...service.incidentIds().map(rootOf), ...named];
      const about = names.find((name) => receipt?.text.includes(name));
      if (receipt !== undefined && about !== undefined) {
        ask(person, label, about, slack.as(person).click(receipt, label));
      }
    },
  };
}
