/**
 * Slack's limits, in one table that all checks read. Each comment names the source of the rows below it; paths are
 * relative to https://docs.slack.dev. "Not documented" marks measured values and bounds of this program.
 * Lengths are UTF-16 units of the raw text. Times are in milliseconds.
 */
export const LIMITS = {
  /** /interactivity/handling-user-interaction, /apis/events-api/using-socket-mode */
  ackMs: 3_000,
  triggerMs: 3_000,
  responseUrlUses: 5,
  responseUrlMs: 30 * 60_000,
  socketConnections: 10,
  socketTicketMs: 30_000,
  /** Lifetime of a connection, and how long before its end the app is warned. */
  socketLifeMs: 18_060_000,
  socketDebugLifeMs: 360_000,
  socketWarningMs: 10_000,
  /** /reference/app-manifest, and the JSON schema github.com/slackapi/manifest-schema */
  appName: 35,
  appDescription: 140,
  appLongDescriptionMin: 175,
  appLongDescription: 4_000,
  botName: 80,
  shortcuts: 10,
  shortcutName: 24,
  shortcutDescription: 150,
  slashCommands: 50,
  commandName: 32,
  commandDescription: 2_000,
  commandUrl: 3_000,
  usageHint: 1_000,
  unfurlDomains: 5,
  unfurlDomain: 255,
  scopes: 255,
  scope: 50,
  botEvents: 100,
  eventName: 50,
  /** /reference/methods/conversations.list: "an integer under 1000" */
  channelListPage: 999,
  /** /reference/methods/conversations.history, /apis/web-api/pagination */
  historyPage: 999,
  listPage: 1_000,
  /** /reference/methods/conversations.create */
  channelName: 80,
  /** /reference/methods/conversations.setTopic */
  channelTopic: 250,
  /** /reference/methods/conversations.open: not counting the app itself */
  groupMessageUsers: 8,

  /** slack.com/help: "Pin messages and bookmark links" */
  pins: 100,
  bookmarks: 100,

  /** /reference/methods/files.getUploadURLExternal, /reference/methods/files.completeUploadExternal */
  fileAltText: 1_000,
  fileChannels: 100,
  /** Slack accepts one gigabyte. These values bound the memory of this program. */
  fileBytes: 20 * 1024 * 1024,
  filesBytes: 100 * 1024 * 1024,

  /** /apis/web-api/rate-limits: one message per second and channel, with short bursts. The size of the burst is not documented. */
  postBurst: 30,
  postsPerSecond: 1,
  /** /apis/web-api/rate-limits: the minimum of each tier. The calls of one minute may come at once. */
  callsPerMinute: { tier1: 1, tier2: 20, tier3: 50, tier4: 100 },

  /** /reference/methods/chat.postMessage, /reference/block-kit/blocks */
  messageText: 40_000,
  /** /reference/methods/chat.update */
  updateText: 4_000,
  attachments: 100,
  /** Characters of the metadata of a message. Slack refuses too much (`metadata_too_large`) and gives no number. */
  metadata: 8_000,
  messageBlocks: 50,
  /** Total text of all blocks of a message. Not documented: bolt-js #2509. */
  messageBlockText: 13_200,
  viewBlocks: 100,

  /** /reference/views/modal-views, /reference/views/home-tab-views, /surfaces/modals */
  viewBytes: 250_000,
  blockId: 255,
  actionId: 255,
  callbackId: 255,
  externalId: 255,
  privateMetadata: 3_000,
  modalTitle: 24,
  modalButton: 24,
  modalStack: 3,

  /** /reference/block-kit/blocks/…-block, and the doc comments of @slack/types */
  text: 3_000,
  sectionText: 3_000,
  sectionFields: 10,
  sectionField: 2_000,
  header: 150,
  contextElements: 10,
  actionsElements: 25,
  imageAltText: 2_000,
  imageTitle: 2_000,
  imageUrl: 3_000,
  label: 2_000,
  hint: 2_000,

  /** /reference/block-kit/block-elements/…, /reference/block-kit/composition-objects/… */
  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  accessibilityLabel: 75,
  optionText: 75,
  optionValue: 150,
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
  /** Default of min_query_length. */
  minQueryLength: 3,
} as const;
