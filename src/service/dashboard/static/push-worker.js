// Shows what wakes somebody, and sends their answer. It runs when no page is open.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  const { title, body, tag, url, answerUrl, isLoud } = event.data.json();
  const isAsked = answerUrl !== null;
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag, // what is newer replaces what is shown
      renotify: isAsked,
      requireInteraction: isAsked,
      silent: !isLoud && !isAsked,
      data: { url, answerUrl, tag },
      actions: isAsked ? [{ action: 'answer', title: 'I have it' }] : [],
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  const { url, answerUrl, tag } = event.notification.data;
  event.notification.close();
  event.waitUntil(event.action === 'answer' ? answer(answerUrl, tag) : self.clients.openWindow(answerUrl ?? url));
});

/** An answer that did not arrive must not look as if it had. */
async function answer(answerUrl, tag) {
  const body = new URLSearchParams();
  const headers = { accept: 'text/plain' };
  const response = await fetch(answerUrl, { method: 'POST', headers, body }).catch(() => null);
  if (response?.ok) {
    // Somebody else may have had it already.
    return self.registration.showNotification(await response.text(), {
      tag,
      silent: true,
      data: { url: answerUrl, answerUrl: null },
    });
  }
  return self.registration.showNotification('Your answer did not arrive: open this to try again', {
    tag,
    requireInteraction: true,
    data: { url: answerUrl, answerUrl, tag },
  });
}
