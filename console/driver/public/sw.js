// Keeps the page's own files, so that it opens without a network. Requests to the server's routes are not its business.
const CACHE = 'driver';
const PAGE = '/driver';

/** A page is kept with all that it names, or not at all; what no page names any more goes. */
const keep = async (response) => {
  const html = await response.clone().text();
  const named = [...html.matchAll(/"(\/driver\/[^"]+)"/g)].map(([, url]) => url);
  const cache = await caches.open(CACHE);
  const kept = (await cache.keys()).map(({ url }) => new URL(url).pathname);
  await cache.addAll(named.filter((url) => !kept.includes(url)));
  await cache.put(PAGE, response);
  for (const url of kept) if (url !== PAGE && !named.includes(url)) await cache.delete(url);
};

const fetchPage = async () => {
  const response = await fetch(PAGE, { cache: 'no-cache', signal: AbortSignal.timeout(4_000) });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response;
};

const open = async (event) => {
  try {
    const response = await fetchPage();
    event.waitUntil(keep(response.clone()).catch(() => undefined));
    return response;
  } catch {
    return (await caches.match(PAGE, { ignoreVary: true })) ?? Response.error();
  }
};

self.addEventListener('install', (event) => event.waitUntil(fetchPage().then(keep)));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && pathname === PAGE) event.respondWith(open(event));
  else if (pathname.startsWith(`${PAGE}/`))
    event.respondWith(caches.match(request, { ignoreVary: true }).then((kept) => kept ?? fetch(request)));
});
