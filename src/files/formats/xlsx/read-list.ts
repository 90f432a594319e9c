/**
 * A part that is a long list (the rows of a sheet, the texts of a workbook), some items at a time: as a whole it would take more memory
 * than all that is kept of it.
 */
import { readXml, type XmlEvents } from './read-xml.ts';
import { refuseLarge } from './unpack.ts';

/** The local names of the element that has the items, and of the items. */
export interface ListNames {
  list: string;
  item: string;
}

/** Size of the text that is scanned at once, or twice if it contains no complete item: each character a bounded number of times. */
const LEAST_TEXT = 1 << 18;

/** Emits the events of all items, then those of the part without them. Throws UsageError if it is not XML, or an item is too large. */
export function readList(pieces: Iterable<string>, name: string, names: ListNames, events: XmlEvents): void {
  let tags: { item: string; end: string } | undefined;
  /** The text before the items, and later the text after them, too. */
  let around = '';
  let waiting = '';
  let isOver = false;
  let enough = LEAST_TEXT;

  function take(): void {
    tags ??= begin();
    if (tags) readItems(tags);
    refuseLarge(waiting, name);
    enough = Math.max(LEAST_TEXT, 2 * waiting.length);
  }

  function begin(): typeof tags {
    const opened = new RegExp(`<((?:[\\w.-]+:)?)${names.list}(?:\\s[^<>]*)?>`).exec(waiting);
    // Closed by itself it has no items.
    if (!opened || opened[0].endsWith('/>')) return undefined;
    const [tag, prefix = ''] = opened;
    around = waiting.slice(0, opened.index + tag.length);
    waiting = waiting.slice(around.length);
    return { item: `<${prefix}${names.item}`, end: `</${prefix}${names.list}` };
  }

  function readItems({ item, end }: { item: string; end: string }): void {
    const endAt = waiting.indexOf(end);
    isOver = endAt >= 0;
    const whole = isOver ? endAt : startOfLast(waiting, item);
    if (whole > 0) readXml(`<items>${waiting.slice(0, whole)}</items>`, name, events);
    waiting = waiting.slice(whole);
    if (!isOver) return;
    around += waiting;
    waiting = '';
  }

  for (const piece of pieces) {
    if (isOver) {
      around += piece;
      refuseLarge(around, name);
      continue;
    }
    waiting += piece;
    if (waiting.length >= enough) take();
  }
  if (!isOver) take();
  readXml(around + waiting, name, events);
}

/** Returns where the last item begins, which may be incomplete; 0 if there is none after the first. */
function startOfLast(text: string, tag: string): number {
  for (let at = text.lastIndexOf(tag); at > 0; at = text.lastIndexOf(tag, at - 1)) {
    if (/[\s/>]/.test(text.charAt(at + tag.length))) return at;
  }
  return 0;
}
