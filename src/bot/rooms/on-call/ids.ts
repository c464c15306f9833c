/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const ON_CALL_BUTTONS = { swapTake: 'swap_take', swapDecline: 'swap_decline', swapUndo: 'swap_undo' } as const;
export const ON_CALL_FORMS = { swap: 'on_call_swap_modal' } as const;

/** The fields of the form that asks somebody to take a turn. */
export const SWAP_FIELDS = { turn: 'swap_turn', taker: 'swap_taker' } as const;
