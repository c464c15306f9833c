import { findByAction, h, nextId } from './dom.js';

/** @import { MenuItem } from '../types.ts' */

/**
 * A button that opens a menu. Arrows, Home, End and letters move, Enter chooses, Escape and Tab close it.
 * While open, the menu is beside the message or the form that holds the button, so that a redraw does not close it.
 *
 * @param {{ label: string, text: string | Node, class?: string, dataAction?: string,
 *   items: () => readonly MenuItem[] }} options
 * @returns {{ node: HTMLElement, button: HTMLButtonElement }}
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
      'data-action': options.dataAction,
    },
    options.text,
  );
  const menu = h('ul', { id, class: 'menu', role: 'menu', 'aria-label': options.label, popover: 'auto' });
  /** The part of the page that holds the menu, and after a redraw the new button. @type {Element} */
  let place = document.body;
  /** The message of the button. @type {string | undefined} */
  let itemTs;

  function open() {
    place = button.closest('dialog, main, aside') ?? document.body;
    itemTs = button.closest('li')?.dataset.item;
    place.append(menu);
    menu.replaceChildren(...options.items().map(renderItem));
    menu.showPopover();
    const box = button.getBoundingClientRect();
    const isLow = box.bottom + menu.offsetHeight > innerHeight;
    menu.style.top = `${Math.max(4, isLow ? box.top - menu.offsetHeight - 4 : box.bottom + 4)}px`;
    menu.style.left = `${Math.max(4, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.querySelector('button')?.focus();
  }

  function close() {
    menu.hidePopover();
    const item = itemTs === undefined ? place : place.querySelector(`[data-item="${CSS.escape(itemTs)}"]`);
    const target = button.isConnected || item === null ? button : findByAction(item, options.dataAction);
    target?.focus();
  }

  /** @param {MenuItem} item */
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
            close();
            item.run();
          },
        },
        h('span', {}, item.text),
        item.description && h('small', {}, item.description),
      ),
    );
  }

  button.addEventListener('click', open);
  menu.addEventListener('toggle', (event) => {
    const isOpen = event.newState === 'open';
    button.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) {
      menu.remove();
    }
  });
  menu.addEventListener('keydown', (event) => {
    const items = [...menu.querySelectorAll('button')];
    const at = items.findIndex((item) => item.matches(':focus'));
    const next = nextIndex(event.key, at, items);
    if (next >= 0) {
      event.preventDefault();
      items[next % items.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation(); // a dialog around the menu stays open
      close();
    }
  });
  return { node: h('span', { class: 'menu-holder' }, button), button };
}

/**
 * @param {string} key
 * @param {number} at
 * @param {readonly HTMLElement[]} items
 * @returns {number} -1 when the key does not move
 */
function nextIndex(key, at, items) {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1 + items.length;
    case 'Home':
      return 0;
    case 'End':
      return items.length - 1;
    default: {
      const letter = key.toLowerCase();
      return key.length === 1 ? items.findIndex((item) => item.textContent.toLowerCase().startsWith(letter)) : -1;
    }
  }
}
