/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const SIGNALS_BUTTONS = {
  signalsType: 'signals_type',
  signalsService: 'signals_service',
  signalsPeriod: 'signals_period',
  signalsPrevious: 'signals_previous',
  signalsNext: 'signals_next',
  signalOpen: 'signal_open',
  causesOpen: 'signals_causes',
} as const;

/** The block with the selects of the signals modal. */
export const SIGNAL_FILTER_BLOCK = 'signal_filter';
