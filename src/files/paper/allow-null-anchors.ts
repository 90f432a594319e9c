/**
 * Lets fontkit lay out a mark that a font does not attach to a base: the anchor is NULL in its table (OpenType 1.9.1, "GPOS", lookup types 4 to
 * 6), for which fontkit throws TypeError. Arabic has such pairs, as a kasra below a letter with a dot above it.
 */

/** Parts of fontkit that its types lack. */
export interface FontWithMarks {
  readonly _layoutEngine: { readonly engine: { readonly GPOSProcessor: MarkPositioner } };
}

interface MarkPositioner {
  applyAnchor(mark: unknown, base: unknown, index: number): void;
}

const corrected = new WeakSet<FontWithMarks>();

/** From then on, a mark without an anchor stays where another rule has put it. */
export function allowNullAnchors(font: FontWithMarks): void {
  if (corrected.has(font)) return;
  corrected.add(font);
  const positioner = font._layoutEngine.engine.GPOSProcessor;
  const applyAnchor = positioner.applyAnchor.bind(positioner);
  positioner.applyAnchor = (mark, base, index) => {
    if (base) applyAnchor(mark, base, index);
  };
}
