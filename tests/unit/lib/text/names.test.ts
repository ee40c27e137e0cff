import { describe, expect, test } from 'bun:test'

import {
  hasUnfitCharacter,
  isEmail,
  parseName,
  showName,
  withoutLinks,
} from '../../../../src/lib/text/names.ts'

describe('readName', () => {
  test.each(['Ada', 'Zoë & Friends', '!!', '🧑‍🚀', 'a'.repeat(10), '🦊'.repeat(10)])('takes %s', (name) => {
    expect(parseName(`  ${name}\n`, 10 + 5)).toBe(name)
  })

  test.each([
    '',
    ' ',
    'a\nb',
    'a\u0085b',
    'a\u2028b',
    'a\u202Eb',
    'a\u2066b',
    'a\uFEFFb',
    '\uD83E',
    '\u3164',
  ])('refuses %j', (name) => expect(parseName(name, 80)).toBeNull())

  test('counts characters as people do', () => {
    expect(parseName('🦊'.repeat(81), 80)).toBeNull()
    expect(parseName('x'.repeat(81), 80)).toBeNull()
    expect(parseName('🦊'.repeat(80), 80)).not.toBeNull()
  })
})

describe('showName', () => {
  test('makes one short line of anything', () => {
    expect(showName('a\r\nb\u2028c\u202Ed', 80)).toBe('a b c d')
    expect(showName('x '.repeat(1000), 7)).toBe('x x x x')
    expect(showName('\u200B\u3164', 80)).toBe('')
    expect(hasUnfitCharacter(showName('\uD83E!', 80))).toBe(false)
  })
})

describe('withoutLinks', () => {
  test.each([
    ['https://evil.example/x', 'https: //evil. example/x'],
    ['www.evil.example', 'www. evil. example'],
    ['mail me@evil.example', 'mail me@evil. example'],
    ['evil。example', 'evil. example'],
    ['Dr. Who 2.0', 'Dr. Who 2.0'],
    ['Version 1.2.3', 'Version 1.2.3'],
  ])('%s is shown as %s', (text, shown) => expect(withoutLinks(text)).toBe(shown))
})

describe('an e-mail address', () => {
  test.each([
    'press@example.org',
    'a@b.co',
    'first.last+press@mail.example.co.uk',
    "o'brien_1@xn--bcher-kva.example",
    `${'x'.repeat(64)}@example.org`,
  ])('%s is one', (text) => {
    expect(isEmail(text)).toBe(true)
  })

  test.each([
    '',
    'press',
    'press@',
    '@example.org',
    'press@localhost',
    'press@@example.org',
    'a@b@example.org',
    'press@example..org',
    'press@.example.org',
    'press@example.org.',
    'press@-example.org',
    'press@example-.org',
    '.press@example.org',
    'press.@example.org',
    'pr..ess@example.org',
    'pr ess@example.org',
    ' press@example.org',
    'press@example.org\n',
    'Press <press@example.org>',
    'mailto:press@example.org',
    '"press"@example.org',
    'prëss@example.org',
    `${'x'.repeat(65)}@example.org`,
    `press@${'x'.repeat(64)}.org`,
    `press@${'example.'.repeat(32)}org`,
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false)
  })
})
