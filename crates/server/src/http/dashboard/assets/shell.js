// The header of every page: theme and signing out.
import { $, announce, post } from './core.js';

const theme = $('theme');
theme.value = document.documentElement.dataset.theme ?? '';
theme.addEventListener('change', () => {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
  try {
    localStorage.setItem('mainstay-theme', theme.value);
  } catch {
    announce('The browser does not remember the theme');
  }
});

$('sign-out')?.addEventListener('click', async () => {
  await post('/dashboard/sign-out', {});
  location.assign('/dashboard/sign-in');
});

// On a phone the navigation scrolls sideways: the present page must be in view.
document.querySelector('.shell__nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
