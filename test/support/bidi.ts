/** Turns the direction of what follows, in a browser that is not told where that ends. */
export const TURNED = '\u202E';

/** They cannot have elements, or are paragraphs of their own for the direction of text. */
const WITHOUT_ELEMENTS: readonly string[] = ['title', 'option', 'textarea', 'script', 'style', 'text'];
const VOID: readonly string[] = ['input', 'br', 'hr', 'meta', 'link', 'img', 'path', 'line', 'rect', 'circle'];

/** What is shown in its place where elements are possible. */
export const SHOWN_TURNED = '\uFFFD';

/** The texts of a page that have `mark`, each with whether something around it isolates it. */
export function turnedTexts(html: string, mark = TURNED): { readonly text: string; readonly isIsolated: boolean }[] {
  const open: string[] = [];
  const found: { text: string; isIsolated: boolean }[] = [];
  for (const [token, slash, tag, selfClosed] of html.matchAll(
    /<(\/?)([a-z][a-z0-9]*)(?:"[^"]*"|[^">])*?(\/?)>|[^<]+/gi,
  )) {
    if (tag === undefined) {
      if (token.includes(mark)) {
        const isIsolated = open.some((each) => each === 'bdi' || WITHOUT_ELEMENTS.includes(each));
        found.push({ text: `${open.slice(-3).join(' > ')}: ${token}`, isIsolated });
      }
    } else if (slash === '/') {
      open.length = Math.max(0, open.lastIndexOf(tag));
    } else if (selfClosed !== '/' && !VOID.includes(tag)) {
      open.push(tag);
    }
  }
  return found;
}
