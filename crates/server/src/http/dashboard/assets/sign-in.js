// Exchanges the token for a session.
import { $, post } from './core.js';

$('sign-in')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  $('problem').textContent = '';
  try {
    await post('/dashboard/sign-in', { token: $('token').value.trim() });
    location.assign('/dashboard');
  } catch (error) {
    $('problem').textContent = error.message;
    $('token').select();
  }
});
