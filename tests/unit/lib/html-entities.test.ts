import { expect, test } from 'bun:test'

import { decodeEntities } from '../../../src/lib/html-entities.ts'

test.each([
  ['Tom &amp; Jerry', 'Tom & Jerry'],
  ['&lt;b&gt;&quot;x&quot;&apos;', '<b>"x"\''],
  ['&#039;&#39;&#x27;&#X2019;', "'''’"],
  ['&hellip;&mdash;&nbsp;&eacute;&Eacute;', '…—\u{a0}éÉ'],
  ['&#128512;', '😀'],
  ['&amp;amp;', '&amp;'],
  ['&unknown; &; & &amp', '&unknown; &; & &amp'],
  ['&valueOf; &toString;', '&valueOf; &toString;'],
  ['&#0;&#xD800;&#1114112;', '\u{fffd}\u{fffd}\u{fffd}'],
])('%s is %s', (text, expected) => {
  expect(decodeEntities(text)).toBe(expected)
})
