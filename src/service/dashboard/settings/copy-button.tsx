/** Copies the text of an element. Hidden without JavaScript: a click on the text selects it all. */
export function CopyButton({ from, label }: { readonly from: string; readonly label: string }) {
  return (
    <button type="button" data-copy-from={from} hidden aria-label={label}>
      Copy
    </button>
  );
}

interface SecretView {
  readonly id: string;
  readonly text: string;
  /** Label of the button, for screen readers. */
  readonly label: string;
}

/** Text to be copied as it is. */
export function Copyable({ id, text, label }: SecretView) {
  return (
    <div class="box">
      <pre>
        <code class="secret" id={id}>
          {text}
        </code>
      </pre>
      <CopyButton from={id} label={label} />
    </div>
  );
}
