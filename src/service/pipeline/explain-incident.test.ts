import { expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { END, spansOf } from '../../../test/support/hosted-shop.ts';
import { storedFacts } from '../../../test/support/stored-facts.ts';
import { createEngineState } from '../engine/engine.ts';
import { explainIncident } from './explain-incident.ts';

it('calls an incident by the host that its services share', () => {
  const state = createEngineState();
  feedEngine(
    state,
    spansOf(({ host }) => (host === 'node-2' ? 'fails' : 'well')),
    END,
  );
  const [incident] = state.correlation.live.byNumber.values();

  const explained = incident === undefined ? null : explainIncident(incident, state, FACTS, null, []);

  expect(explained?.title).toBe('node-2: 5 services lose requests there only');
  expect(explained?.correlation.evidence[0]).toBe('cart, orders, prices and 2 more lose requests on host node-2 only');
});

const FACTS = storedFacts(new Date(END));
