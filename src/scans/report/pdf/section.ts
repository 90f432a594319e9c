/** Structure of one card: its elements are created when the first of their content is drawn, so that they are in reading order. */
import type { Canvas, Element } from './canvas.ts';
import type { Typesetter } from './typesetter.ts';

export interface Section {
  set: Typesetter;
  element(canvas: Canvas): Element;
  table(title: string): (canvas: Canvas) => Element;
  list(): (canvas: Canvas) => Element;
}

export function createSection(set: Typesetter): Section {
  const element = once((canvas) => canvas.element('Sect'));
  return {
    set,
    element,
    table: (title) => once((canvas) => canvas.element('Table', element(canvas), { title })),
    list: () => once((canvas) => canvas.element('L', element(canvas))),
  };
}

function once(create: (canvas: Canvas) => Element): (canvas: Canvas) => Element {
  let made: Element | undefined;
  return (canvas) => {
    made ??= create(canvas);
    return made;
  };
}
