import { h } from './dom.js';

/** @import { MenuItem } from '../types.ts' */

/**
 * A button that opens a menu. Arrows move, Enter chooses, Escape and Tab close it.
 *
 * @param {{ label: string, text: string, class?: string, key?: string, items: () => readonly MenuItem[] }} options
 */
export function createMenu({ label, text, class: className = 'icon-button', key, items }) {
  return h(
    'span',
    { class: 'menu-holder' },
    h(
      'button',
      {
        type: 'button',
        class: className,
        'aria-label': label,
        'aria-haspopup': 'menu',
        title: label,
        'data-key': key,
        onclick: ({ currentTarget }) => open(/** @type {HTMLElement} */ (currentTarget), items()),
      },
      text,
    ),
    h('ul', {
      class: 'menu',
      role: 'menu',
      'aria-label': label,
      popover: 'auto',
      onkeydown,
      ontoggle,
      'data-live': true,
    }),
  );
}

/** @param {HTMLElement} button @param {readonly MenuItem[]} items */
function open(button, items) {
  const menu = /** @type {HTMLElement} */ (button.nextElementSibling);
  menu.replaceChildren(
    ...items.map(({ text, description, run }) => {
      const onclick = () => {
        menu.hidePopover(); // which gives the focus back to the button
        run(button);
      };
      return h(
        'li',
        { role: 'none' },
        h(
          'button',
          { type: 'button', role: 'menuitem', tabindex: -1, onclick },
          h('span', {}, text),
          description && h('small', {}, description),
        ),
      );
    }),
  );
  menu.showPopover();
  const box = button.getBoundingClientRect();
  const isLow = box.bottom + menu.offsetHeight > innerHeight;
  menu.style.top = `${Math.max(4, isLow ? box.top - menu.offsetHeight - 4 : box.bottom + 4)}px`;
  menu.style.left = `${Math.max(4, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.querySelector('button')?.focus();
}

/** @param {Event} event */
function ontoggle(event) {
  const { target, newState } = /** @type {ToggleEvent} */ (event);
  const menu = /** @type {HTMLElement} */ (target);
  menu.previousElementSibling?.setAttribute('aria-expanded', String(newState === 'open'));
  if (newState === 'closed') {
    menu.replaceChildren();
  }
}

/** @param {Event} event */
function onkeydown(event) {
  const { key, currentTarget } = /** @type {KeyboardEvent} */ (event);
  const menu = /** @type {HTMLElement} */ (currentTarget);
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step !== undefined) {
    event.preventDefault();
    const items = [...menu.querySelectorAll('button')];
    const at = items.findIndex((item) => item.matches(':focus'));
    items.at((at + step) % items.length)?.focus();
  } else if (key === 'Escape' || key === 'Tab') {
    event.preventDefault();
    event.stopPropagation(); // a window or a thread around the menu stays open
    menu.hidePopover();
  }
}
