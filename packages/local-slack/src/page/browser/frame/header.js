import { byId } from '../base/dom.js';

/** @import { PageState, Place } from '../../page-types.ts' */

/** @param {Place} place */
export function placeName(place) {
  return place.isDirect ? place.name : `#${place.name}`;
}

/** Draws the name of the place and the tabs of the app, and shows either messages or Home. @param {PageState} state @param {Place} place @param {boolean} isHomeShown */
export function drawHeader({ app }, place, isHomeShown) {
  const closed = closedReason(app, place);
  document.title = `${placeName(place)} · ${app.name} in Local Slack`;
  byId('channel-name').textContent = placeName(place);
  byId('channel-topic').textContent = place.isApp ? app.description : place.topic;
  byId('channel-members').textContent = place.kind === 'im' ? '' : `${place.memberCount} members`;
  byId('tabs').hidden = !(place.isApp && app.hasHome);
  byId('tab-home').setAttribute('aria-selected', String(isHomeShown));
  byId('tab-messages').setAttribute('aria-selected', String(!isHomeShown));
  byId('home').hidden = !isHomeShown;
  byId('timeline').hidden = isHomeShown;
  byId('composer').hidden = isHomeShown || closed !== '';
  byId('thread-composer').hidden = closed !== '';
  byId('closed').textContent = isHomeShown ? '' : closed;
}

/** Why nobody can write here. Empty where one can. @param {PageState['app']} app @param {Place} place */
function closedReason(app, place) {
  if (place.isArchived) {
    return `${placeName(place)} is archived: nobody can write here.`;
  }
  return place.isApp && !app.takesMessages ? 'Sending messages to this app has been turned off.' : '';
}
