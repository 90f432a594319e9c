import { describe, expect, it } from 'vitest';
import { addUtm, carryUtm, droppedUtm, normalizeUtm, utmOf } from '#base/text/utm';

describe('normalizeUtm', () => {
  it.each([
    ['Spring Sale', 'spring_sale'],
    ['  SPRING \t sale ', 'spring_sale'],
    ['spring _ sale', 'spring_sale'],
    ['spring_sale', 'spring_sale'],
    ['ZU\u0308RICH', 'zürich'],
    ['İI', 'i̇i'],
    [' ', ''],
  ])('normalizes %j to %j, and keeps the result unchanged', (value, form) => {
    expect(normalizeUtm(value)).toBe(form);
    expect(normalizeUtm(form)).toBe(form);
  });
});

describe('addUtm', () => {
  const tags = { campaign: 'Spring Sale', source: 'poster' };
  it.each([
    ['https://x.test', 'https://x.test?utm_source=poster&utm_campaign=spring_sale'],
    [
      'https://x.test/a?b=%20c&d=+#top',
      'https://x.test/a?b=%20c&d=+&utm_source=poster&utm_campaign=spring_sale#top',
    ],
    [
      'http://x.test/?utm_source=old&y=1&UTM_Source=older&z=2',
      'http://x.test/?utm_source=poster&y=1&z=2&utm_campaign=spring_sale',
    ],
    ['https://x.test/?#q?', 'https://x.test/?utm_source=poster&utm_campaign=spring_sale#q?'],
    ['\u00a0https://x.test/möwe ', 'https://x.test/möwe?utm_source=poster&utm_campaign=spring_sale'],
  ])('adds tags to %s, and changes nothing if the tags are added again', (address, tagged) => {
    expect(addUtm(address, tags)).toBe(tagged);
    expect(addUtm(tagged, tags)).toBe(tagged);
  });

  it.each(['', 'tel:1', 'tel:https://1', 'example.com', 'https://'])('refuses %j', (address) => {
    expect(() => addUtm(address, tags)).toThrow("is not a web address, so UTM tags can't be added");
  });

  it('percent-encodes a value', () => {
    expect(addUtm('https://x.test', { term: 'a&b=c#d' })).toBe('https://x.test?utm_term=a%26b%3Dc%23d');
  });
});

describe('carryUtm', () => {
  it.each([
    ['https://x.test/?utm_source=a&y=1&UTM_Term=%20B', 'https://y.test', '?utm_source=a&UTM_Term=%20B'],
    ['https://x.test/?utm_source=a&utm_term=b', 'https://y.test/?z=1&UTM_Source=c', '&utm_term=b'],
    ['https://x.test/?utm_source=a', 'https://y.test/?utm_source=', ''],
    ['https://x.test/?utm_source=&utm_term&my_utm_id=1&utm_=1', 'https://y.test/', ''],
    ['https://x.test/?utm_source=a', 'tel:1', ''],
  ])('adds the tags of %s that %s lacks', (old, address, added) => {
    expect(carryUtm(old, address)).toBe(address + added);
    expect(droppedUtm(old, address)).toEqual(added.split(/[?&]/).filter(Boolean));
  });

  it('adds tags before the fragment', () => {
    expect(carryUtm('https://x.test/?utm_id=a#b', 'https://y.test/#c')).toBe('https://y.test/?utm_id=a#c');
  });
});

describe('utmOf', () => {
  it.each([
    ['https://x.test/?utm_source=poster', 'poster'],
    ['https://x.test?a=1&UTM_Source=%20Spring+Sale%2F1%20#utm_source=no', 'Spring Sale/1'],
    ['https://x.test/?utm_source=first&utm_source=second', 'first'],
    ['https://x.test/?utm_source=%zz', '%zz'],
    ['https://x.test/?utm_source=&y=1', null],
    ['https://x.test/?utm_source', null],
    ['https://x.test/?utm_medium=print', null],
    ['https://x.test/#?utm_source=poster', null],
    ['https://x.test/utm_source=poster', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('maps %j to %j', (destination, value) => {
    expect(utmOf(destination, 'utm_source')).toBe(value);
  });
});
