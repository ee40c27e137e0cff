import { expect, test } from 'bun:test'

import { findTextLanguage } from '../../../../src/domain/listings/languages.ts'

const support = (language: string, isInterface = true) => ({ language, interface: isInterface })

test.each([
  ['the only interface language', [support('de')], 'Flicke die Sterne.', 'de'],
  ['not a language that is only heard or read', [support('de'), support('fr', false)], 'Flicke.', 'de'],
  ['with its region', [support('pt-BR')], 'Conserte as estrelas.', 'pt-BR'],
  ['Japanese in any of its scripts', [support('ja')], 'らんたん', 'ja'],
  ['Chinese in the script of the region', [support('zh-TW')], '修理星星', 'zh-TW'],
  ['Korean', [support('ko')], '별을 고치세요', 'ko'],
  ['Arabic', [support('ar')], 'مصباح', 'ar'],
])('the language of a text is %s', (_, languages, text, language) => {
  expect(findTextLanguage(languages, text)).toBe(language)
})

test.each([
  ['there are none', [], 'Repair the stars.'],
  ['there are several', [support('de'), support('fr')], 'Flicke die Sterne.'],
  ['none is of the interface', [support('de', false)], 'Flicke die Sterne.'],
  ['the text is in another script', [support('ja')], 'Repair the stars.'],
  ['the text is in another script', [support('de')], 'مصباح'],
  ['there is no text', [support('de')], ''],
  ['the language has no script that is known', [support('qaa')], 'Repair the stars.'],
])('nothing is said where %s', (_, languages, text) => {
  expect(findTextLanguage(languages, text)).toBeUndefined()
})
