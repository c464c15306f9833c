import type { ColumnType, Generated, Selectable } from 'kysely';
import type { RuleFilter } from '../../../incident/rule-filter.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import type { QuietHours } from './quiet-hours.ts';
import { type EscalationStep, EVERYTHING, type Handover, type Rule } from './rule.ts';

declare module '../../tables.ts' {
  interface Tables {
    /** Which incidents get cards where, and who is reminded. */
    rules: {
      id: Generated<string>;
      channel_id: ChannelId;
      filter: ColumnType<RuleFilter, string, string>;
      escalation: ColumnType<readonly EscalationStep[], string, string>;
      quiet_hours: ColumnType<QuietHours | null, string | null, string | null>;
      handover: ColumnType<Handover | null, string | null, string | null>;
      /** Made from INCIDENTS_CHANNEL. */
      is_default: Generated<boolean>;
      /** Identifies the form; a redelivery of the same form is the same rule. null: not made by a form. */
      source: string | null;
      created_by: string | null;
      changed_at: Generated<Date>;
    };
    /** Rules that can be brought back for 30 days. */
    deleted_rules: {
      id: string;
      /** The row of `rules`. */
      rule: ColumnType<unknown, string, string>;
      deleted_at: Generated<Date>;
    };
  }
}

export function toRule(row: Selectable<Tables['rules']>): Rule {
  return {
    id: row.id,
    channelId: row.channel_id,
    filter: { ...EVERYTHING, ...row.filter }, // a rule from before a condition has none
    escalation: row.escalation,
    quietHours: row.quiet_hours,
    handover: row.handover,
    createdBy: row.created_by,
    changedAt: new Date(row.changed_at), // a string where it comes as JSON
  };
}
