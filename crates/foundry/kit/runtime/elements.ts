// Custom elements over the drawing core, for Lit and for plain pages.
import { CHILDREN, draw, type Props, type VNode } from './core';
import { components } from './registry';
import css from './components.css?inline';
import './behaviour.js';

const RESET = ':host { display: block; } :host([hidden]) { display: none; } :where(h1, h2, h3, h4, h5, h6, p, ul, ol, dl, dd, figure, fieldset) { margin: 0; padding: 0; border: 0; } :where(ul, ol) { list-style: none; } :where(button, input, select, textarea) { font: inherit; color: inherit; } :focus-visible { outline: var(--oods-sys-border-width-focus) solid var(--oods-sys-border-focus); outline-offset: 2px; }';
const SVG = new Set(['svg', 'rect', 'line', 'text', 'polyline', 'polygon', 'circle']);
let sheet: CSSStyleSheet | undefined;
const styles = (): CSSStyleSheet => {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(RESET + css);
  }
  return sheet;
};

function toDom(node: VNode): Node {
  if (node === CHILDREN) return document.createElement('slot');
  if (typeof node === 'string') return document.createTextNode(node);
  const element = SVG.has(node.tag) ? document.createElementNS('http://www.w3.org/2000/svg', node.tag) : document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attrs)) {
    if (typeof value !== 'function') element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [name, value] of Object.entries(node.style)) element.style.setProperty(name, value);
  element.append(...node.kids.map(toDom));
  return element;
}

const tagOf = (name: string): string => `oods${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function define(name: string, props: string[]): void {
  class OodsElement extends HTMLElement {
    values: Props = {};
    pending = false;
    static observedAttributes = props.map((prop) => prop.toLowerCase());

    connectedCallback(): void {
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [styles()];
      this.refresh();
    }

    attributeChangedCallback(attribute: string, _: string | null, value: string | null): void {
      const prop = props.find((known) => known.toLowerCase() === attribute);
      if (prop) this.set(prop, value ?? undefined);
    }

    set(prop: string, value: unknown): void {
      this.values[prop] = value;
      if (this.pending || !this.shadowRoot) return;
      this.pending = true;
      queueMicrotask(() => {
        this.pending = false;
        this.refresh();
      });
    }

    refresh(): void {
      const access: Props = {};
      for (const { name: attribute, value } of [...this.attributes]) if (attribute.startsWith('aria-')) access[attribute] = value;
      this.shadowRoot?.replaceChildren(toDom(draw(name, { ...access, ...this.values }, this.childNodes.length > 0)));
    }
  }
  for (const prop of props) {
    Object.defineProperty(OodsElement.prototype, prop, {
      configurable: true,
      get(this: OodsElement) {
        return this.values[prop];
      },
      set(this: OodsElement, value: unknown) {
        this.set(prop, value);
      },
    });
  }
  if (!customElements.get(tagOf(name))) customElements.define(tagOf(name), OodsElement);
}

for (const [name, component] of Object.entries(components)) define(name, component.props);
