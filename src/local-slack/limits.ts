/**
 * Slack's limits, each as its documentation gives it (docs.slack.dev/reference/block-kit and /reference/methods).
 * Lengths are in UTF-16 units, counted before mrkdwn is read; times are in milliseconds.
 */
export const LIMITS = {
  ackMs: 3_000,
  triggerMs: 3_000,
  responseUrlUses: 5,
  responseUrlMs: 30 * 60_000,
  socketConnections: 10,
  socketTicketMs: 30_000,
  historyPage: 999,
  listPage: 1_000,

  /** One message a second a channel, with the short burst that Slack tolerates (its size is not documented). */
  postBurst: 30,
  postsPerSecond: 1,

  messageText: 40_000,
  messageBlocks: 50,
  /** Text of all blocks of one message together (undocumented; bolt-js #2509). */
  messageBlockText: 13_200,
  viewBlocks: 100,
  tablesPerMessage: 1,

  blockId: 255,
  actionId: 255,
  callbackId: 255,
  externalId: 255,
  privateMetadata: 3_000,
  modalTitle: 24,
  modalButton: 24,
  modalStack: 3,

  text: 3_000,
  sectionText: 3_000,
  sectionFields: 10,
  sectionField: 2_000,
  header: 150,
  contextElements: 10,
  actionsElements: 25,
  contextActionsElements: 5,
  markdown: 12_000,
  tableRows: 100,
  tableColumns: 20,
  imageAltText: 2_000,
  imageTitle: 2_000,
  imageUrl: 3_000,
  label: 2_000,
  hint: 2_000,

  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  accessibilityLabel: 75,
  optionText: 75,
  optionValue: 75,
  optionDescription: 75,
  options: 100,
  optionGroups: 100,
  checkboxes: 10,
  radioButtons: 10,
  overflowOptions: 5,
  placeholder: 150,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  inputText: 3_000,
} as const;
