import { byId } from '../base/dom.js';

/** @import { PageState, Place } from '../../page-types.ts' */

/** @param {Place} place */
export function placeName(place) {
  return place.isDirect ? place.name : `#${place.name}`;
}

/** Draws the name of the place and the tabs of the app, and shows either messages or Home. @param {PageState} state @param {Place} place @param {boolean} isHomeShown */
export function drawHeader({ app }, place, isHomeShown) {
  const { isApp } = place;
  document.title = `${placeName(place)} · ${app.name} in Local Slack`;
  byId('channel-name').textContent = placeName(place);
  byId('channel-topic').textContent = isApp ? app.description : place.topic;
  byId('channel-members').textContent = place.kind === 'im' ? '' : `${place.memberCount} members`;
  byId('tabs').hidden = !(isApp && app.hasHome);
  drawTab(byId('tab-home'), isHomeShown);
  drawTab(byId('tab-messages'), !isHomeShown);
  byId('home').hidden = !isHomeShown;
  byId('timeline-frame').hidden = isHomeShown;
  const closed = closedReason(app, place);
  byId('composer').hidden = isHomeShown || closed !== null;
  byId('thread-composer').hidden = closed !== null;
  byId('closed').hidden = isHomeShown || closed === null;
  byId('closed').textContent = closed ?? '';
}

/** @param {HTMLElement} tab @param {boolean} isSelected */
function drawTab(tab, isSelected) {
  tab.setAttribute('aria-selected', String(isSelected));
  tab.tabIndex = isSelected ? 0 : -1;
}

/** Why nobody can write here. Null where one can. @param {PageState['app']} app @param {Place} place */
function closedReason(app, place) {
  if (place.isArchived) {
    return `${placeName(place)} is archived: nobody can write here.`;
  }
  return place.isApp && !app.takesMessages ? 'Sending messages to this app has been turned off.' : null;
}
