// Runs inside the sandboxed frame: shows the page it is sent, and nothing in it can run.
addEventListener('message', (event) => {
  if (event.source !== parent || typeof event.data?.html !== 'string') return;
  const page = new DOMParser().parseFromString(event.data.html, 'text/html');
  for (const name of document.documentElement.getAttributeNames()) document.documentElement.removeAttribute(name);
  for (const { name, value } of page.documentElement.attributes) document.documentElement.setAttribute(name, value);
  document.head.querySelectorAll('style').forEach((style) => style.remove());
  page.head.querySelectorAll('style').forEach((style) => document.head.append(style));
  document.body.replaceWith(page.body);
  // Links and forms of a preview lead nowhere.
  for (const link of document.querySelectorAll('a[href]')) link.addEventListener('click', (click) => click.preventDefault());
});
parent.postMessage('ready', '*');
