import { expect, test } from 'bun:test'

import { skeletonOf } from '../../../../src/lib/text/skeleton.ts'

test.each([
  ['Lantern Works', 'lantern-works'],
  ['Lantern Works', 'LANTERN  W0RKS'],
  ['Lantern Works', 'Lаntеrn Wоrks'],
  ['Lantern Works', 'Lantem Works'],
  ['Lantern Works', 'Lántern Wörks'],
  ['Lantern Works', '\u200BLantern\u200B Works\u202E'],
  ['Lantern Works', 'Ｌａｎｔｅｒｎ Ｗｏｒｋｓ'],
  ['Lantern Works', '𝐋𝐚𝐧𝐭𝐞𝐫𝐧 𝐖𝐨𝐫𝐤𝐬'],
  ['Playshelf', 'PIayshelf'],
  ['Playshelf', 'P1ayshe1f'],
  ['Ada', 'Аdа'],
  ['NIKO', 'ΝΙΚΟ'],
])('%s looks like %s', (name, other) => {
  expect(skeletonOf(other)).toBe(skeletonOf(name))
})

test.each([
  ['Lantern Works', 'Lantern Work'],
  ['Moss Jam', 'Moth Jam'],
  ['灯台工房', '灯台工場'],
  ['Студия Маяк', 'Studio Majak'],
])('%s does not look like %s', (name, other) => {
  expect(skeletonOf(other)).not.toBe(skeletonOf(name))
})

test('nothing visible has no skeleton', () => {
  expect(skeletonOf(' \u200D!')).toBe('')
})
