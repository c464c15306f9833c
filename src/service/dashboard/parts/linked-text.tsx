import { Foreign } from './foreign.tsx';
import { OutsideLink } from './outside-link.tsx';

/** A sentence may go on after an address. */
const ADDRESS = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])/;

/** What somebody wrote, with its addresses as links. */
export function LinkedText({ text }: { text: string }) {
  return (
    <Foreign>
      {text.split(ADDRESS).map((part, index) => (index % 2 === 0 ? part : <OutsideLink url={part} text={part} />))}
    </Foreign>
  );
}
