import { Foreign } from './foreign.tsx';
/** A link to another site in a new tab. An address that is not http or https stays text. */
export function OutsideLink({ url, text }: { url: string; text: string }) {
  const { protocol } = URL.parse(url) ?? { protocol: '' };
  return protocol === 'https:' || protocol === 'http:' ? (
    <a href={url} rel="noopener noreferrer" target="_blank">
      <Foreign>{text}</Foreign>
    </a>
  ) : (
    <Foreign>{text}</Foreign>
  );
}
