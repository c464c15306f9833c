import { DomainError } from '../core/errors.ts';

/** What the rules refuse is said above the form. */
export async function refusals(
  act: () => Promise<Response>,
  show: (fault: string) => Promise<Response>,
): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DomainError) {
      return show(`Not done: ${error.message}.`);
    }
    throw error;
  }
}
