/** Distance from the end that counts as reading the newest message, in pixels. */
const NEAR = 60;

/**
 * Keeps the newest message in view while the reader is at the end, also when images load and the window is resized. When
 * the reader has scrolled up, the position stays, and a button shows how many new messages there are.
 *
 * @param {HTMLElement} scroller
 * @param {HTMLButtonElement} button
 */
export function followEnd(scroller, button) {
  const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
  let isFollowing = true;
  /** @type {string | null} */
  let shownPlace = null;
  let newestTs = '';
  let seenTs = '';

  /** @param {number} count */
  function drawButton(count) {
    button.hidden = count === 0;
    button.textContent = count === 1 ? '1 new message ↓' : `${count} new messages ↓`;
  }

  function reachEnd() {
    isFollowing = true;
    seenTs = newestTs;
    drawButton(0);
  }

  function goToEnd() {
    scroller.scrollTop = scroller.scrollHeight;
    reachEnd();
  }

  scroller.addEventListener('scroll', () => {
    if (isNearEnd()) {
      reachEnd();
    } else {
      isFollowing = false;
    }
  });
  button.addEventListener('click', () => {
    goToEnd();
    scroller.focus();
  });
  const observer = new ResizeObserver(() => {
    if (isFollowing) {
      goToEnd();
    }
  });
  observer.observe(scroller);
  if (scroller.firstElementChild !== null) {
    observer.observe(scroller.firstElementChild);
  }

  return {
    goToEnd,
    /**
     * Redraws the messages. A new place is shown from its end.
     *
     * @param {string} place
     * @param {readonly { ts: string, isOwn: boolean }[]} messages
     * @param {() => void} redraw
     */
    update(place, messages, redraw) {
      const follows = isNearEnd() || place !== shownPlace;
      shownPlace = place;
      newestTs = messages.at(-1)?.ts ?? '';
      redraw();
      if (follows) {
        goToEnd();
      } else {
        drawButton(messages.filter(({ ts, isOwn }) => ts > seenTs && !isOwn).length);
      }
    },
  };
}
