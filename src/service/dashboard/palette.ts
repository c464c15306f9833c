import {
  amber,
  amberDark,
  green,
  greenDark,
  indigo,
  indigoDark,
  red,
  redDark,
  slate,
  slateDark,
} from '@radix-ui/colors';

/**
 * What the pages use of each scale of Radix Colors, light and dark. Its steps have fixed uses: 1 and 2 are backgrounds,
 * 3 to 5 controls, 6 to 8 lines, 9 solid colours, 11 and 12 text that is legible on 1 and 2.
 */
const SCALES = [
  { name: 'gray', steps: [1, 2, 3, 4, 6, 8, 11, 12], light: slate, dark: slateDark },
  { name: 'accent', steps: [3, 6, 9, 10, 11], light: indigo, dark: indigoDark },
  { name: 'red', steps: [2, 3, 6, 9, 11], light: red, dark: redDark },
  { name: 'amber', steps: [2, 9, 11], light: amber, dark: amberDark },
  { name: 'green', steps: [2, 9, 11], light: green, dark: greenDark },
] as const;

/** Colours as custom properties, `--red-11` and so on. The reader's theme chooses, or `data-theme` of the page. */
export function paletteCss(): string {
  const properties = SCALES.flatMap(({ name, steps, light, dark }) => {
    const [lights, darks] = [Object.values(light), Object.values(dark)];
    return steps.map((step) => `--${name}-${step}:light-dark(${lights[step - 1]},${darks[step - 1]});`);
  });
  return `:root{color-scheme:light dark;${properties.join('')}}
:root[data-theme="light"]{color-scheme:light}
:root[data-theme="dark"]{color-scheme:dark}
`;
}
