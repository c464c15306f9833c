import type { Filled } from './input-values.ts';

type Fields = Filled['element'];

/** Errors that Slack shows without asking the app, by block_id. */
export function inputErrors(filled: readonly Filled[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const each of filled.filter(({ block }) => block.type === 'input')) {
    const message = inputError(each);
    if (message !== null) {
      errors[each.block.block_id] = message;
    }
  }
  return errors;
}

function inputError({ block, element, value }: Filled): string | null {
  if (value === null || value.length === 0 || (typeof value === 'string' && value.trim() === '')) {
    return block.optional === true ? null : 'Please complete this required field.';
  }
  if (typeof value === 'string') {
    return textError(element, value);
  }
  const { max_selected_items: most } = element;
  return typeof most === 'number' && value.length > most ? `Please choose at most ${most}.` : null;
}

function textError(element: Fields, value: string): string | null {
  switch (element.type) {
    case 'plain_text_input':
      return lengthError(element, value);
    case 'email_text_input':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : 'Please enter a valid email address.';
    case 'url_text_input':
      return /^https?:\/\//i.test(value) && URL.canParse(value) ? null : 'Please enter a valid URL.';
    case 'number_input':
      return numberError(element, value);
    default:
      return null;
  }
}

function lengthError({ min_length: min, max_length: max }: Fields, value: string): string | null {
  if (typeof min === 'number' && value.length < min) {
    return `Please use at least ${min} characters.`;
  }
  if (typeof max === 'number' && value.length > max) {
    return `Please use at most ${max} characters.`;
  }
  return null;
}

function numberError({ min_value: min, max_value: max, is_decimal_allowed: isDecimal }: Fields, value: string) {
  const number = Number(value);
  if (!Number.isFinite(number) || (isDecimal !== true && !Number.isInteger(number))) {
    return isDecimal === true ? 'Please enter a number.' : 'Please enter a whole number.';
  }
  if (typeof min === 'string' && number < Number(min)) {
    return `Please enter a number that is at least ${min}.`;
  }
  if (typeof max === 'string' && number > Number(max)) {
    return `Please enter a number that is at most ${max}.`;
  }
  return null;
}
