/**
 * Slack's limits, in characters unless stated otherwise. Sources: docs.slack.dev, reference/block-kit (blocks,
 * block-elements, composition-objects, views) and reference/methods/chat.postMessage.
 */
export const LIMITS = {
  blocksPerMessage: 50,
  blocksPerModal: 100,
  /** Beyond about 13,200 characters Slack answers `msg_blocks_too_long`: undocumented, slackapi/bolt-js#2509. */
  blockTextPerMessage: 13_000,
  /** Slack truncates `text` at 40,000. */
  messageText: 12_000,
  /** Slack refuses a longer edit with `msg_too_long`: reference/methods/chat.update. */
  editedText: 4_000,
  sectionText: 3_000,
  headerText: 150,
  contextText: 2_000,
  contextElements: 10,
  actionsElements: 25,
  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  optionText: 75,
  optionValue: 75,
  overflowOptions: 5,
  selectOptions: 100,
  blockId: 255,
  accessibilityLabel: 75,
  placeholder: 150,
  modalTitle: 24,
  modalButton: 24,
  privateMetadata: 3_000,
  inputLabel: 2_000,
  inputHint: 2_000,
  plainTextInput: 3_000,
} as const;
