// Opens tabs by click and arrow keys. Works by roles alone, so it serves every framework.
(() => {
  if (typeof document === 'undefined' || document.documentElement.dataset.oodsBehaviour) return;
  document.documentElement.dataset.oodsBehaviour = 'on';
  const tabOf = (event) =>
    event.composedPath().find((node) => node instanceof Element && node.getAttribute('role') === 'tab');
  const open = (tab) => {
    const tabs = [...tab.parentElement.querySelectorAll('[role="tab"]')];
    const scope = tab.getRootNode();
    for (const other of tabs) {
      const selected = other === tab;
      other.setAttribute('aria-selected', String(selected));
      other.tabIndex = selected ? 0 : -1;
      const id = other.getAttribute('aria-controls');
      const panel = id && (scope.getElementById?.(id) ?? document.getElementById(id));
      if (panel) panel.hidden = !selected;
    }
    tab.focus();
  };
  document.addEventListener('click', (event) => {
    const tab = tabOf(event);
    if (tab) open(tab);
  });
  document.addEventListener('keydown', (event) => {
    const tab = tabOf(event);
    if (!tab) return;
    const tabs = [...tab.parentElement.querySelectorAll('[role="tab"]')];
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.indexOf(tab) + step;
    const next = Math.abs(step) > 1 ? Math.max(0, Math.min(tabs.length - 1, at)) : (at + tabs.length) % tabs.length;
    open(tabs[next]);
  });
})();
