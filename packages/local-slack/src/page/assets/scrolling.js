/** How far from the end still counts as reading the newest, in pixels. */
const NEAR = 60;

/**
 * Who reads the newest stays with the newest, when messages come, pictures load and windows change their size; who
 * reads back is left alone.
 *
 * @param {HTMLElement} scroller around one list
 * @returns {(place: string, change: () => void) => void} changes the list; a new place is shown from its end
 */
export function followEnd(scroller) {
  const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
  let isFollowing = true;
  let shown = null;

  function goToEnd() {
    scroller.scrollTop = scroller.scrollHeight;
    isFollowing = true;
  }

  scroller.addEventListener('scroll', () => {
    isFollowing = isNearEnd();
  });
  const observer = new ResizeObserver(() => {
    if (isFollowing) {
      goToEnd();
    }
  });
  observer.observe(scroller);
  observer.observe(scroller.firstElementChild);

  return (place, change) => {
    const follows = isNearEnd() || place !== shown;
    shown = place;
    change();
    if (follows) {
      goToEnd();
    }
  };
}
