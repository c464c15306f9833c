interface FieldView {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly type?: 'text' | 'search' | 'datetime-local';
  readonly placeholder?: string;
  /** To choose from; other values may be typed. */
  readonly options?: readonly string[];
}

export function Field({ label, name, value = '', type = 'text', placeholder, options = [] }: FieldView) {
  return (
    <label>
      {label}
      <input
        type={type}
        name={name}
        value={value}
        maxlength={200}
        autocomplete="off"
        placeholder={placeholder}
        list={options.length === 0 ? undefined : `${name}-options`}
      />
      {options.length > 0 && (
        <datalist id={`${name}-options`}>
          {options.map((option) => (
            <option value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface SelectView {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  /** A value, or a value and its words. */
  readonly options: readonly (string | readonly [value: string, words: string])[];
}

export function Select({ label, name, value = '', options }: SelectView) {
  return (
    <label>
      {label}
      <select name={name}>
        {options
          .map((option) => (typeof option === 'string' ? ([option, option] as const) : option))
          .map(([each, words]) => (
            <option value={each} selected={each === value}>
              {words}
            </option>
          ))}
      </select>
    </label>
  );
}
