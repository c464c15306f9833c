/** The style sheet of the dashboard. Colours only repeat what the text says. */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e6e8eb);
  --quiet: light-dark(#57606a, #a3abb5);
  --page: light-dark(#ffffff, #14171b);
  --raised: light-dark(#f4f5f7, #1e2228);
  --line: light-dark(#d5d9de, #363c44);
  --link: light-dark(#0b57a4, #8ec1ff);
  --alarm: light-dark(#a3241c, #ff9d94);
  --calm: light-dark(#1a6332, #8ddba5);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .25rem .5rem; }
header { background: var(--raised); border-bottom: 1px solid var(--line); }
header .bar, main { max-width: 72rem; margin: 0 auto; padding: .75rem 1rem; }
header .bar, header nav, .who { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
.who { gap: .25rem .75rem; margin-left: auto; overflow-wrap: anywhere; }
header strong { font-size: 1.125rem; }
main { padding-bottom: 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 2rem 0 .5rem; }
[aria-current] { font-weight: 700; color: var(--text); text-decoration: none; }
.tabs, .pages { display: flex; gap: 1.5rem; list-style: none; padding: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--quiet); padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; }
th { color: var(--quiet); font-weight: 600; }
td time .quiet { display: block; }
td code, button { white-space: nowrap; }
td.count { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.alarm { color: var(--alarm); font-weight: 600; }
.calm { color: var(--calm); font-weight: 600; }
.note { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 4px solid var(--line); padding-left: 1rem; }
.box { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; margin: 1rem 0; }
.box h2 { margin-top: .5rem; }
pre, code { font: .9375rem/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; }
code { overflow-wrap: anywhere; }
form.row { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; }
.narrow { max-width: 36rem; }
form.stack { display: grid; gap: 1rem; justify-items: start; }
form.stack label, form.stack input { width: 100%; }
label { display: grid; gap: .25rem; }
input, select, button { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--quiet); border-radius: .375rem; padding: .375rem .75rem; }
a.button { display: inline-block; text-decoration: none; color: var(--text); background: var(--raised); border: 1px solid var(--quiet); border-radius: .375rem; padding: .375rem .75rem; }
button.main, form.stack > button { font-weight: 600; }
button { cursor: pointer; background: var(--raised); }
`;
