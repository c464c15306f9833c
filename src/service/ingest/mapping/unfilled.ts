/** Placeholders of templates as they look when nobody filled them: `$NAME`, `${name}`, `{{ name }}`, `%NAME%`, `{EVENT.ID}`. */
const PLACEHOLDER =
  /^(?:\$[A-Z_][A-Z0-9_]*\$?|\$\{[^{}]*\}|\{\{[^{}]*\}\}|%[A-Za-z_][\w.-]*%|\{[A-Z][A-Z0-9_.]*\}|<%.*%>|\[\[[^[\]]*\]\])$/;

/** What templates write for a value that is not there. */
const ABSENT = /^(?:null|undefined|nil|<no value>|\*unknown\*|n\/a|-)?$/i;

/** Whether a text stands for a value that was not there. */
export function isUnfilled(text: string): boolean {
  const said = text.trim();
  return ABSENT.test(said) || PLACEHOLDER.test(said);
}
