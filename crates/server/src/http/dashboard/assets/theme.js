// Runs before the first paint: a remembered theme must not flash the other one.
(() => {
  let theme = '';
  try {
    theme = localStorage.getItem('mainstay-theme') ?? '';
  } catch {
    // Storage can be forbidden; the system's theme is then the only one.
  }
  if (['light', 'dark', 'hc'].includes(theme)) document.documentElement.dataset.theme = theme;
})();
