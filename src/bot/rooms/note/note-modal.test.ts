import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../incident/snapshot.ts';
import { NOTE_INPUT } from './ids.ts';
import { noteModal, parseNoteForm, threadNote } from './note-modal.ts';
import { plainMessage } from './plain-message.ts';

const incident = (id: string): Snapshot => ({
  id,
  status: 'open',
  signal_count: 1,
  root_service: 'payments',
  opened_at: '2026-01-31T08:00:00Z',
});

const optionsOf = (incidents: readonly Snapshot[]): string[] =>
  [...JSON.stringify(noteModal({ channelId: null }, incidents, '')).matchAll(/"value":"([^"]*)"/g)].map(
    ([, id = '']) => id,
  );

describe('the modal "Add to incident"', () => {
  it('offers at most 100 incidents, and none whose id does not fit', () => {
    const many = Array.from({ length: 150 }, (_, index) => incident(`inc_${index}`));

    expect(new Set(optionsOf(many)).size).toBe(100);
    expect(optionsOf([incident('x'.repeat(76)), incident('inc_1')])).toEqual(['inc_1', 'inc_1']); // also chosen at first
  });

  it('has no field if no incident is open', () => {
    expect(noteModal({ channelId: 'C1' }, [], 'a note')).not.toHaveProperty('submit');
  });

  it('cuts a note that Slack would refuse', () => {
    const text = JSON.stringify(noteModal({ channelId: null }, [incident('inc_1')], 'a'.repeat(5_000)));

    expect(text).toContain(`"initial_value":"${'a'.repeat(3_000)}"`);
  });

  it('is read strictly', () => {
    const values = {
      [NOTE_INPUT.incidentBlock]: { [NOTE_INPUT.incident]: { selected_option: { value: 'inc_1' } } },
      [NOTE_INPUT.noteBlock]: { [NOTE_INPUT.note]: { value: ' as typed ' } },
    };

    expect(parseNoteForm(values)).toEqual({ incidentId: 'inc_1', note: ' as typed ' });
    expect(parseNoteForm({})).toBeNull();
    expect(parseNoteForm(undefined)).toBeNull();
  });
});

describe('the text of a message', () => {
  it.each([
    ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
    [
      'see <https://example.com|the runbook> and <https://example.com>',
      'see the runbook (https://example.com) and https://example.com',
    ],
    ['<@U1> in <#C1|general> <!here> <!subteam^S1|@oncall>', '@U1 in general !here @oncall'],
  ])('%j is %j without markup', (text, plain) => {
    expect(plainMessage(text)).toBe(plain);
  });
});

it('quotes a note in a thread, without mentions', () => {
  expect(threadNote('ana', 'ask <!channel>\nnow')).toBe('📝 Note by ana:\n> ask &lt;!channel&gt;\n> now');
});
