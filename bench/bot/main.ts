import { parseArgs } from 'node:util';
import { type Measurements, measureAll, say } from '../measure.ts';
import { measureAcks } from './acks.ts';
import { measureCards } from './cards.ts';
import { measureGrowth } from './growth.ts';

const HELP = `npm run bench:bot -- [options]
  --only <name>      acks, cards or growth, and nothing else; may be given more than once
  --rounds <number>  of interactions, with Tocsin and the bare app in turn (5)
  --events <number>  that become a card, one after the other (30)
  --cards <number>   after which memory and tables are looked at, and after a tenth of them (10000)
  --help             this`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '5' },
    events: { type: 'string', default: '30' },
    cards: { type: 'string', default: '10000' },
    help: { type: 'boolean', default: false },
  },
});

const MEASUREMENTS: Measurements = {
  acks: (cluster) => measureAcks(cluster, Number(values.rounds)),
  cards: (cluster) => measureCards(cluster, Number(values.events)),
  growth: (cluster) => measureGrowth(cluster, Number(values.cards)),
};

if (values.help) {
  say(HELP);
} else {
  await measureAll(MEASUREMENTS, values.only);
}
