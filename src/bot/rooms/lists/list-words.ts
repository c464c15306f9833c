import { NOTHING, type Words } from '../../listeners/commands.ts';

/** The words of lists, as they also stand in the names of lists that are shown. */
export const LIST_WORDS = {
  open: {
    aliases: ['list'],
    takes: { ...NOTHING, filters: ['service', 'severity', 'label', 'acknowledged'] },
    usage: '[service:<name>] [severity:<word>] [team:<name>] [unacked]',
    help: 'lists the open incidents, the worst first',
    example: '',
  },
  closed: {
    aliases: [],
    takes: { ...NOTHING, filters: ['period', 'service', 'severity', 'label', 'acknowledged'] },
    usage: '[7d] [service:<name>] [severity:<word>] [team:<name>]',
    help: 'lists what was closed, last closed first; without a period, in the last 24 hours',
    example: '7d',
  },
  mine: {
    aliases: [],
    takes: { ...NOTHING, filters: ['service', 'severity', 'label'] },
    usage: '[service:<name>] [severity:<word>] [team:<name>]',
    help: 'lists the open incidents that you or your groups acknowledged, lead or communicate',
    example: '',
  },
} as const satisfies Words;
