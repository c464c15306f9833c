import { byId } from './dom.js';

export function placeName(place) {
  return place.isDirect ? place.name : `#${place.name}`;
}

/** What stands around the messages or the Home: the name of the place, the tabs of the app, and whether one can write. */
export function drawHeader({ app }, place, isHomeShown) {
  const { isApp } = place;
  document.title = `${placeName(place)} · ${app.name} in Local Slack`;
  byId('channel-name').textContent = placeName(place);
  byId('channel-topic').textContent = isApp ? app.description : place.topic;
  byId('channel-members').textContent = place.kind === 'im' ? '' : `${place.memberCount} members`;
  byId('tabs').hidden = !(isApp && app.hasHome);
  for (const name of ['home', 'messages']) {
    byId(`tab-${name}`).setAttribute('aria-selected', String((name === 'home') === isHomeShown));
    byId(`tab-${name}`).tabIndex = (name === 'home') === isHomeShown ? 0 : -1;
  }
  byId('home').hidden = !isHomeShown;
  byId('timeline').hidden = isHomeShown;
  const closed = closedReason(app, place);
  byId('composer').hidden = isHomeShown || closed !== null;
  byId('thread-composer').hidden = closed !== null;
  byId('closed').hidden = isHomeShown || closed === null;
  byId('closed').textContent = closed ?? '';
}

/** Why nobody can write here; null where one can. */
function closedReason(app, place) {
  if (place.isArchived) {
    return `${placeName(place)} is archived: nobody can write here.`;
  }
  return place.isApp && !app.takesMessages ? 'Sending messages to this app has been turned off.' : null;
}
