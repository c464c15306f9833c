import { describeFlows } from '../support/slack-flows.ts';

describeFlows('keyboard', 390);
