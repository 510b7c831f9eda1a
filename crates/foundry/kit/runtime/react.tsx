// React components over the drawing core.
import React from 'react';
import { CHILDREN, draw, type Props, type VNode } from './core';
import './behaviour.js';

const NAMES: Record<string, string> = {
  class: 'className',
  for: 'htmlFor',
  tabindex: 'tabIndex',
  readonly: 'readOnly',
  autocomplete: 'autoComplete',
  inputmode: 'inputMode',
  datetime: 'dateTime',
  'text-anchor': 'textAnchor',
};
const FIELDS = new Set(['input', 'select', 'textarea']);

function toReact(node: VNode, children: React.ReactNode, key: number): React.ReactNode {
  if (node === CHILDREN) return <React.Fragment key={key}>{children}</React.Fragment>;
  if (typeof node === 'string') return node;
  const props: Props = { key };
  for (const [name, value] of Object.entries(node.attrs)) {
    // Fields keep their own state unless the caller listens.
    const own = FIELDS.has(node.tag) && !('onChange' in node.attrs);
    if (name === 'value' && FIELDS.has(node.tag)) props[own ? 'defaultValue' : 'defaultValue'] = value;
    else if (name === 'checked') props['defaultChecked'] = value;
    else if (name === 'selected') continue;
    else props[NAMES[name] ?? name] = value === true ? true : value;
  }
  if (Object.keys(node.style).length > 0) props['style'] = node.style;
  let kids = node.kids;
  if (node.tag === 'select') {
    const chosen = kids.find((kid) => typeof kid === 'object' && kid.attrs['selected']);
    if (chosen && typeof chosen === 'object') props['defaultValue'] = chosen.attrs['value'];
  }
  if (node.tag === 'textarea') {
    props['defaultValue'] = kids.filter((kid) => typeof kid === 'string').join('');
    kids = [];
  }
  return React.createElement(node.tag, props, ...(kids.length > 0 ? kids.map((kid, index) => toReact(kid, children, index)) : []));
}

/** A component's own properties, and every attribute of an element beside them. */
export type With<P> = P & Omit<React.HTMLAttributes<HTMLElement>, keyof P>;

export function create<P>(name: string): React.FC<With<P>> {
  const Component: React.FC<With<P>> = (props) => {
    const { children, ...rest } = props as React.PropsWithChildren<Props>;
    const auto = React.useId();
    const given = rest['id'] === undefined ? { ...rest, id: auto } : rest;
    return toReact(draw(name, given, React.Children.count(children) > 0), children, 0);
  };
  Component.displayName = name;
  return Component;
}
