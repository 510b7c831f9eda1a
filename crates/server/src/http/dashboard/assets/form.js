// A form made from a JSON Schema. What a form cannot express is written as JSON.
import { h } from './core.js';

/** Follows `$ref` inside the schema and takes the part of an `anyOf` that is not null. */
export function resolve(schema, root) {
  let found = schema ?? {};
  for (let depth = 0; found.$ref && depth < 8; depth += 1) {
    const target = found.$ref.replace(/^#\//, '').split('/').reduce((at, key) => at?.[key], root) ?? {};
    const { $ref, ...beside } = found;
    found = { ...target, ...beside };
  }
  const any = found.anyOf?.filter((part) => part.type !== 'null');
  if (any?.length === 1) return { ...resolve(any[0], root), description: found.description ?? any[0].description };
  return found;
}

const typesOf = (schema) => [schema.type ?? []].flat().filter((type) => type !== 'null');

function wordsOf(schema) {
  if (schema.enum) return schema.enum.filter((word) => word !== null);
  const constants = schema.oneOf?.map((part) => part.const);
  return constants?.length && constants.every((word) => word !== undefined) ? constants : null;
}

/** What kind of control fits. */
export function kindOf(schema) {
  const types = typesOf(schema);
  const words = wordsOf(schema);
  if (words?.every((word) => typeof word === 'boolean') && words.length) return 'switch';
  if (words) return 'choice';
  if (schema.anyOf && schema.anyOf.some((part) => part.type === 'array' && part.items?.type === 'string')) return 'lines';
  if (types.length !== 1) return 'json';
  if (types[0] === 'boolean') return 'switch';
  if (types[0] === 'integer' || types[0] === 'number') return 'number';
  if (types[0] === 'array' && schema.items?.type === 'string' && !schema.items.enum) return 'lines';
  return types[0] === 'string' ? 'text' : 'json';
}

/** Arguments the schema lists only to refuse them. */
const isRefused = (schema) => schema.not && Object.keys(schema.not).length === 0;

/**
 * Builds the controls for the arguments of a tool.
 *
 * Gives `element`, `read()` (the arguments; throws with a message) and `write(args)`.
 */
export function schemaForm(schema, stem) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {})
    .filter(([, part]) => !isRefused(part))
    .map(([name, part]) => control(name, resolve(part, schema), required.has(name), `${stem}-${name}`));
  const first = fields.filter((field) => field.required);
  const others = fields.filter((field) => !field.required);
  const more = others.length > 6 && first.length > 0;
  const element = h('div', { class: 'form-fields' },
    first.map((field) => field.element),
    more
      ? h('details', { class: 'oods-accordion' },
        h('summary', { class: 'oods-accordion__summary' }, `${others.length} optional arguments`),
        h('div', { class: 'oods-accordion__body form-fields' }, others.map((field) => field.element)))
      : others.map((field) => field.element));
  return {
    element,
    count: fields.length,
    read: () => Object.fromEntries(fields.map((field) => [field.name, field.read()]).filter(([, value]) => value !== undefined)),
    write: (args) => {
      fields.forEach((field) => field.write(args[field.name]));
      const details = element.querySelector('details');
      if (details && others.some((field) => args[field.name] !== undefined)) details.open = true;
    },
  };
}

function control(name, schema, required, id) {
  const kind = kindOf(schema);
  const help = `${id}-help`;
  const described = { id, 'aria-describedby': help, required: required && kind !== 'switch' };
  const note = [schema.description, limits(schema)].filter(Boolean).join(' ');
  const { input, read, write } = CONTROLS[kind](schema, described, name);
  const element = h('div', { class: 'oods-field' },
    h('label', { class: 'oods-field__label', for: id }, h('code', {}, name), required && h('span', { class: 'oods-field__required' }, ' required')),
    input,
    h('p', { class: 'oods-field__help', id: help }, note));
  return { name, required, element, read, write };
}

function limits(schema) {
  const parts = [];
  // The end of what a number can hold is no rule worth telling.
  const { minimum, maximum: most } = schema;
  const maximum = most >= 2 ** 31 ? undefined : most;
  if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}.`);
  else if (minimum) parts.push(`At least ${minimum}.`);
  else if (maximum !== undefined) parts.push(`At most ${maximum}.`);
  if (schema.default !== undefined && schema.default !== null) parts.push(`Default ${JSON.stringify(schema.default)}.`);
  if (schema.pattern && schema.pattern !== '\\S') parts.push(`Must match ${schema.pattern}`);
  return parts.join(' ');
}

const box = (attributes) => h('input', { class: 'oods-field__control', autocomplete: 'off', spellcheck: 'false', ...attributes });
const area = (attributes) => h('textarea', { class: 'oods-field__control oods-field__control--area', spellcheck: 'false', ...attributes });

function pick(words, attributes) {
  return h('select', { class: 'oods-field__control', ...attributes }, h('option', { value: '' }, '–'),
    words.map((word) => h('option', { value: JSON.stringify(word) }, String(word))));
}

const chosen = (words) => (schema, attributes) => {
  const input = pick(words(schema), attributes);
  return {
    input,
    read: () => (input.value ? JSON.parse(input.value) : undefined),
    write: (value) => { input.value = value === undefined || value === null ? '' : JSON.stringify(value); },
  };
};

const CONTROLS = {
  text: (schema, attributes) => {
    const long = (schema.maxLength ?? 0) > 10_000;
    const input = long ? area({ rows: '3', ...attributes }) : box({ type: 'text', ...attributes });
    return {
      input,
      read: () => (input.value === '' && !attributes.required ? undefined : input.value),
      write: (value) => { input.value = value ?? ''; },
    };
  },
  number: (schema, attributes, name) => {
    const input = box({ type: 'text', inputmode: 'decimal', ...attributes });
    return {
      input,
      read: () => {
        if (input.value.trim() === '') return undefined;
        const number = Number(input.value);
        if (Number.isNaN(number)) throw new Error(`${name} must be a number`);
        return number;
      },
      write: (value) => { input.value = value ?? ''; },
    };
  },
  switch: chosen(() => [true, false]),
  choice: chosen(wordsOf),
  lines: (schema, attributes) => {
    const input = area({ rows: '2', placeholder: 'one on each line', ...attributes });
    return {
      input,
      read: () => {
        const lines = input.value.split('\n').map((line) => line.trim()).filter(Boolean);
        return lines.length ? lines : undefined;
      },
      write: (value) => { input.value = [value ?? []].flat().join('\n'); },
    };
  },
  json: (schema, attributes, name) => {
    const input = area({ rows: '4', class: 'oods-field__control oods-field__control--area code', placeholder: 'JSON', ...attributes });
    return {
      input,
      read: () => {
        if (input.value.trim() === '') return undefined;
        try {
          return JSON.parse(input.value);
        } catch (error) {
          throw new Error(`${name} is not JSON: ${error.message}`);
        }
      },
      write: (value) => { input.value = value === undefined ? '' : JSON.stringify(value, null, 2); },
    };
  },
};
