/** Elements, made in a line. */
type Child = Node | string | undefined | false | readonly Child[];
type Value = string | number | boolean | undefined | ((event: Event) => void);

/** Functions are listeners, true is an attribute without a value; undefined and false are left out. */
export const el = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  values: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
};

const append = (element: HTMLElement, children: readonly Child[]): void => {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child as readonly Child[]);
    else if (child !== undefined && child !== false) element.append(child as Node | string);
  }
};

export const button = (text: string, act: () => void, kind = ''): HTMLButtonElement =>
  el('button', { type: 'button', class: kind, click: act }, text);

/** A label around its field. */
export const field = (label: string, input: HTMLElement): HTMLLabelElement => el('label', {}, label, input);

export const check = (label: string, isOn: boolean, value = ''): readonly [HTMLLabelElement, HTMLInputElement] => {
  const input = el('input', { type: 'checkbox', checked: isOn, value });
  return [el('label', { class: 'check' }, input, el('span', {}, label)), input];
};

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
export const clock = (at: string): string => CLOCK.format(new Date(at));
