/** A topic, laid out for a terminal. */
import { formatList, heading, type Screen, wrap } from './layout.ts';
import type { Block, Topic } from './topics.ts';

/** What `qrctl help exit-codes` prints. */
export function formatTopic({ title, blocks }: Topic, screen: Screen): string {
  const body = blocks.map((block) => formatBlock(block, screen.width).join('\n'));
  return `${[heading(title, screen), ...body].join('\n\n')}\n`;
}

function formatBlock(block: Block, width: number): string[] {
  if (typeof block === 'string') return wrap(block, width);
  if ('list' in block) return formatList(block.list, width);
  return block.lines.map((line) => `  ${line}`);
}
