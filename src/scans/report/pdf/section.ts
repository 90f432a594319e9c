/** Structure of one card: its elements are created when the first of their content is drawn, so that they are in reading order. */
import type { Canvas, Element } from './canvas.ts';
import type { Typesetter } from './typesetter.ts';

export interface Section {
  set: Typesetter;
  element(canvas: Canvas): Element;
  /** Returns the same element of a table each time. */
  table(title: string): (canvas: Canvas) => Element;
  /** Returns the same element of a list each time. */
  list(): (canvas: Canvas) => Element;
}

/** Returns a section without content. */
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
