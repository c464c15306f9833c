import { Foreign } from './foreign.tsx';
/** What is wrong with a form, in one sentence. null: nothing is. */
export function Fault({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p class="alarm" role="alert">
      <Foreign>{text}</Foreign>
    </p>
  );
}
