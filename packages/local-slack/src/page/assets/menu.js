import { h, nextId } from './dom.js';

/**
 * A button that opens a menu: arrows, Home, End and letters move, Enter chooses, Escape and Tab leave.
 *
 * @param {{ label: string, text: string | Node, class?: string, dataAction?: string,
 *   items: () => readonly { text: string, description?: string, run: () => void }[] }} options
 * @returns {HTMLElement} the button and its menu
 */
export function createMenu(options) {
  const id = nextId('menu');
  const button = h(
    'button',
    {
      type: 'button',
      class: options.class ?? 'icon-button',
      'aria-label': options.label,
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      'aria-controls': id,
      title: options.label,
      'data-action': options.dataAction ?? null,
    },
    options.text,
  );
  const menu = h('ul', { id, class: 'menu', role: 'menu', 'aria-label': options.label, popover: 'auto' });

  function open() {
    menu.replaceChildren(...options.items().map(renderItem));
    menu.showPopover();
    const place = button.getBoundingClientRect();
    const isLow = place.bottom + menu.offsetHeight > innerHeight;
    menu.style.top = `${Math.max(4, isLow ? place.top - menu.offsetHeight - 4 : place.bottom + 4)}px`;
    menu.style.left = `${Math.max(4, Math.min(place.left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.querySelector('button')?.focus();
  }

  function renderItem(item) {
    return h(
      'li',
      { role: 'none' },
      h(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          tabindex: -1,
          onclick: () => {
            menu.hidePopover();
            button.focus();
            item.run();
          },
        },
        h('span', {}, item.text),
        item.description && h('small', {}, item.description),
      ),
    );
  }

  button.addEventListener('click', open);
  menu.addEventListener('toggle', (event) => button.setAttribute('aria-expanded', String(event.newState === 'open')));
  menu.addEventListener('keydown', (event) => {
    const items = [...menu.querySelectorAll('button')];
    const at = items.indexOf(document.activeElement);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 };
    const byLetter = items.findIndex((item) => item.textContent.toLowerCase().startsWith(event.key.toLowerCase()));
    const next = Object.hasOwn(moves, event.key) ? moves[event.key] : event.key.length === 1 ? byLetter : -1;
    if (next >= 0) {
      event.preventDefault();
      items[next % items.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation(); // the window below stays open
      menu.hidePopover();
      button.focus();
    }
  });
  return h('span', { class: 'menu-holder' }, button, menu);
}
