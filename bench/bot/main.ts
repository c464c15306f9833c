import { parseArgs } from 'node:util';
import { type Measurements, measureAll, say } from '../measure.ts';
import { measureAcks } from './acks.ts';
import { measureCards } from './cards.ts';
import { measureClicks } from './clicks.ts';

const HELP = `npm run bench:bot -- [options]
  --only <name>      acks, clicks or cards, and nothing else; may be given more than once
  --rounds <number>  of interactions, with Tocsin and the bare app in turn (5)
  --clicks <number>  on Acknowledge, each until the card is edited (30)
  --events <number>  that become a card, one after the other (60)
  --help             this`;

const HOW = `Tocsin's bot and the baselines run in separate processes; local Slack and its users run in this process.
acks: of three interactions one lists what is open, one clicks Show and one Acknowledge. The bare app acknowledges
and says hello; Tocsin stores what was asked for, acknowledges, asks its service, and answers.
clicks: the bare app calls the service and edits the card; Tocsin stores the click, reads the incident, calls the service,
stores what it confirmed, and edits.
cards: both ask the service each second, at most one event at a time; the bare loop remembers nothing but what it saw.
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '5' },
    clicks: { type: 'string', default: '30' },
    events: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
});

const MEASUREMENTS: Measurements = {
  acks: (cluster) => measureAcks(cluster, Number(values.rounds)),
  clicks: (cluster) => measureClicks(cluster, Number(values.clicks)),
  cards: (cluster) => measureCards(cluster, Number(values.events)),
};

if (values.help) {
  say(HELP);
} else {
  say(HOW);
  await measureAll(MEASUREMENTS, values.only);
}
