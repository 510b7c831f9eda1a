(() => {
  const root = document.documentElement;
  for (const select of document.querySelectorAll('[data-preview-set]')) {
    select.addEventListener('change', () => root.setAttribute(`data-${select.dataset.previewSet}`, select.value));
  }
  const panel = document.getElementById('preview-code');
  const toggle = document.querySelector('[data-preview-code]');
  toggle.addEventListener('click', () => {
    panel.hidden = !panel.hidden;
    toggle.setAttribute('aria-expanded', String(!panel.hidden));
  });
  const framework = document.querySelector('[data-preview-framework]');
  const sources = [...document.querySelectorAll('[data-preview-source]')];
  const shown = () => sources.find((source) => source.dataset.previewSource === framework.value);
  framework.addEventListener('change', () => {
    for (const source of sources) source.hidden = source !== shown();
  });
  const status = document.querySelector('[data-preview-status]');
  document.querySelector('[data-preview-copy]').addEventListener('click', async () => {
    const text = shown().textContent;
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = 'Copied';
    } catch {
      const range = document.createRange();
      range.selectNodeContents(shown());
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      status.textContent = 'Press Ctrl+C to copy';
    }
  });
})();
