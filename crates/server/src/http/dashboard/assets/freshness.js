// How an index stands to the files it was made from.
import { ago, bytes, count, h } from './core.js';

/** A word, its tone, and facts, from the answer of `index_status`. */
export function freshness(status) {
  const index = status.index;
  if (!status.indexed || !index) return { label: 'no index', tone: 'warning', rows: [] };
  const { changedFiles = 0, addedFiles = 0, deletedFiles = 0, revision } = index.freshness ?? {};
  const behind = changedFiles + addedFiles + deletedFiles;
  const rows = [
    ['Built', h('time', { datetime: index.builtAt, title: index.builtAt }, ago(index.builtAt))],
    ['Files', `${count(index.files)} in ${Object.keys(index.languages ?? {}).length} languages`],
    ['Chunks', count(index.chunks)],
    ['Size', `${bytes(index.indexBytes)} for ${bytes(index.sourceBytes)} of source`],
    revision && ['Revision', h('code', {}, revision.slice(0, 12))],
    behind > 0 && ['Since then', `${count(changedFiles)} changed, ${count(addedFiles)} added, ${count(deletedFiles)} deleted`],
  ].filter(Boolean);
  return behind > 0
    ? { label: `${count(behind)} files behind`, tone: 'warning', rows }
    : { label: 'fresh', tone: 'success', rows };
}
