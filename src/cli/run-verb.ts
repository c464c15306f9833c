import type { Verb } from '../config/verbs.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';

/**
 * Runs a command such as `keys` or `doctor`, whether or not Tocsin is running. Loads only what this command needs.
 *
 * @param args the words after the verb
 * @throws OperatorError
 */
export async function runVerb(verb: Verb, args: readonly string[], deps: VerbDeps): Promise<CommandResult> {
  switch (verb) {
    case 'keys': {
      const { runKeys } = await import('./keys.ts');
      return await runKeys(args, deps);
    }
    case 'sign-in': {
      const { runSignIn } = await import('./sign-in.ts');
      return await runSignIn(args, deps);
    }
    case 'doctor': {
      const { runDoctor } = await import('./run-doctor.ts');
      return await runDoctor(args, deps);
    }
    case 'move-database': {
      const { runMoveDatabase } = await import('./move-database.ts');
      return await runMoveDatabase(args, deps);
    }
    case 'slack-app': {
      const { runSlackApp } = await import('./slack-app.ts');
      return await runSlackApp(args, deps);
    }
    case 'erase-person': {
      const { runErasePerson } = await import('./erase-person.ts');
      return await runErasePerson(args, deps);
    }
  }
}
