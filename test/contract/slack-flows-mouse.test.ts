import { describeFlows } from '../support/slack-flows.ts';

describeFlows('mouse', 1_280);
