// Web push: lets this browser wake its owner. Without a worker (no https) the form stays hidden.
const pushForm = document.querySelector('[data-push-key]');
if (pushForm !== null && 'serviceWorker' in navigator && 'PushManager' in window) {
  pushForm.hidden = false;
  pushForm.addEventListener('submit', (event) => {
    if (pushForm.elements.address.value === '') {
      event.preventDefault();
      subscribe(pushForm).then(
        (subscription) => {
          pushForm.elements.address.value = JSON.stringify(subscription);
          pushForm.submit();
        },
        (error) => {
          pushForm.querySelector('[role="status"]').textContent =
            Notification.permission === 'denied'
              ? 'This browser does not allow notifications of this page: allow them in its settings.'
              : `This browser cannot be subscribed: ${error.message}`;
        },
      );
    }
  });
}

async function subscribe(form) {
  const { pushKey } = form.dataset;
  await navigator.serviceWorker.register(new URL('../push-worker.js', location.href));
  const registration = await navigator.serviceWorker.ready;
  const base64 = pushKey.replaceAll('-', '+').replaceAll('_', '/');
  const applicationServerKey = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}
