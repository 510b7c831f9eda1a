// Vue components over the drawing core.
import { type FunctionalComponent, type VNodeChild, h } from 'vue';
import { CHILDREN, draw, type Props, type VNode } from './core';
import './behaviour.js';

function toVue(node: VNode, children: () => VNodeChild): VNodeChild {
  if (node === CHILDREN) return children();
  if (typeof node === 'string') return node;
  return h(node.tag, { ...node.attrs, style: node.attrs['style'] ?? node.style }, node.kids.map((kid) => toVue(kid, children)));
}

const camel = (name: string): string =>
  /^(aria|data)-/.test(name) ? name : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function create(name: string): FunctionalComponent {
  const component: FunctionalComponent = (_, { attrs, slots }) => {
    const props: Props = {};
    for (const [key, value] of Object.entries(attrs)) props[camel(key)] = value;
    const children = slots['default'];
    return toVue(draw(name, props, children !== undefined), () => children?.()) as ReturnType<FunctionalComponent>;
  };
  component.displayName = name;
  component.inheritAttrs = false;
  return component;
}
