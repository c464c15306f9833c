/** After a finger is lifted, its click follows as an event of its own. */
const CLICK_MS = 50;

/** @type {PromiseWithResolvers<void> | null} */
let press = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Resolves when nothing on the page is being pressed: what is redrawn between press and release loses the click. */
export function untilReleased() {
  return press?.promise ?? Promise.resolve();
}

function start() {
  clearTimeout(timer);
  press ??= Promise.withResolvers();
}

function end() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    press?.resolve();
    press = null;
  }, CLICK_MS);
}

addEventListener('pointerdown', start);
for (const type of ['pointerup', 'pointercancel', 'blur']) {
  addEventListener(type, end);
}
