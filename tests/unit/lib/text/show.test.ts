import { describe, expect, test } from 'bun:test'

import { compareVersionTexts } from '../../../../src/features/builds/channels/moves.ts'
import { type Client, CLIENTS, parseClient } from '../../../../src/features/catalog/downloads/service.ts'
import { escapeBBCode, renderBBCode } from '../../../../src/lib/text/bbcode.ts'
import { formatBytes, parseBytes, plural } from '../../../../src/lib/text/show.ts'

describe('BBCode', () => {
  test.each([
    ['**bold** *italic* ~~gone~~ `code`', '[b]bold[/b] [i]italic[/i] [s]gone[/s] [code]code[/code]'],
    ['# One\n\ntext\nsame line\n\n## Two', '[b]One[/b]\n\ntext same line\n\n[b]Two[/b]'],
    ['a  \nb', 'a\nb'],
    ['- one\n- two\n  - inner\n- three', '• one\n• two\n  • inner\n• three'],
    ['3. three\n4. four\n\nafter', '3. three\n4. four\n\nafter'],
    ['> quoted', '[indent]quoted\n\n[/indent]'],
    ['```\na [b]\n  c\n```', '[code]a [lb]b]\n  c\n[/code]'],
    ['[text](https://example.com/?a=1&b=2)', '[url=https://example.com/?a=1&b=2]text[/url]'],
    ['[text](https://example.com/[x])', '[url=https://example.com/%5Bx%5D]text[/url]'],
    ['![alt](https://example.com/a.png)', '[url=https://example.com/a.png]alt[/url]'],
    ['a & b < c', 'a & b < c'],
    ['a\n\n---\n\nb', 'a\n\n――――――――\n\nb'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '[b]a[/b]   [b]b[/b]\n1   2'],
    ['', ''],
  ])('%j', (text, bbcode) => {
    expect(renderBBCode(text)).toBe(bbcode)
  })

  test('has no tag that the text brought along', () => {
    const hostile = '[url=javascript:x]click[/url] [img]x[/img] \\[b] [[i] `[code]` [a](https://e.org "[b]")'
    expect(renderBBCode(hostile).replaceAll('[lb]', '')).not.toMatch(/\[\/?(?:img|i|b|url=javascript)/)
    expect(escapeBBCode('[b]')).toBe('[lb]b]')
  })
})

test('a count agrees with its noun', () => {
  expect([0, 1, 2, 1200].map((count) => plural(count, 'file'))).toEqual([
    '0 files',
    '1 file',
    '2 files',
    '1,200 files',
  ])
  expect(plural(1, 'crash', 'crashes')).toBe('1 crash')
  expect(plural(2, 'file that was', 'files that were')).toBe('2 files that were')
})

describe('a size', () => {
  test.each([
    ['0', 0],
    ['1024', 1024],
    ['2 GB', 2 * 1024 ** 3],
    ['2gb', 2 * 1024 ** 3],
    ['1.5 TB', 1.5 * 1024 ** 4],
    [' 10 KB ', 10 * 1024],
    ['16MB', 16 * 1024 ** 2],
    ['500k', 500 * 1024],
    ['1.5 GiB', 1.5 * 1024 ** 3],
  ])('%s is read as bytes', (text, bytes) => expect(parseBytes(text)).toBe(bytes))

  test.each(['', 'GB', '-1', '1 PB', '1e9', '5 GB free', '9999999999999999 TB'])('%s is none', (text) =>
    expect(parseBytes(text)).toBeNull(),
  )

  test('is shown in the largest unit that fits', () => {
    expect([0, 1023, 1024, 1536, 300 * 1024 ** 2, 50 * 1024 ** 3, 3 * 1024 ** 5].map(formatBytes)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.0 KB',
      '1.5 KB',
      '300 MB',
      '50.0 GB',
      '3072 TB',
    ])
  })
})

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

describe('the family of a program', () => {
  test.each<[userAgent: string | null, client: Client]>([
    [CHROME, 'chrome'],
    [`${CHROME} Edg/141.0.0.0`, 'edge'],
    [`${CHROME} OPR/120.0.0.0`, 'opera'],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36',
      'samsung',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'firefox'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'safari',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 CriOS/141.0 Mobile/15E148 Safari/604.1',
      'chrome',
    ],
    ['curl/8.14.1', 'curl'],
    ['Wget/1.25.0', 'wget'],
    ['GodotEngine/4.5.stable (Linux)', 'godot'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bot'],
    [`${CHROME} bingbot/2.0`, 'bot'],
    ['Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Electron/33.0 Safari/537.36 itch/26.1', 'launcher'],
    ['playshelf/0.1.0', 'launcher'],
    ['python-requests/2.32.3', 'script'],
    ['Go-http-client/2.0', 'script'],
    ['Mozilla/5.0 (Windows NT; Windows NT 10.0) WindowsPowerShell/5.1', 'script'],
    ['Something of its own', 'other'],
    ['', 'none'],
    ['   ', 'none'],
    [null, 'none'],
  ])('%p is %s', (userAgent, client) => {
    expect(parseClient(userAgent)).toBe(client)
  })

  test('is one of few words, however long the text', () => {
    expect(CLIENTS).toContain(parseClient('a'.repeat(1_000_000)))
  })
})

/** Each list from oldest to newest. */
const ASCENDING = [
  ['0.9.0', '1.0.0', '1.0.1', '1.1.0', '1.10.0', '2.0.0', '10.0.0'],
  ['v1.0.0', '1.0.1', 'V1.0.2', 'v2'],
  ['1', '1.0.1', '1.1', '2'],
  ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'],
  ['1.0.0-rc.1', '1.0.0', '1.0.1-0', '1.0.1'],
  ['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-a', '1.0.0-a.0'],
  ['1.0-beta', '1.0', '1.1-alpha'],
  ['20260131', '20260201', '20260201235959'],
  ['9007199254740992', '9007199254740993', '9999999999999999999'],
]

const EQUAL = [
  ['1.0.0', '1.0.0'],
  ['1', '1.0.0'],
  ['v1.2', '1.2.0'],
  ['1.0.0+linux', '1.0.0+windows.5'],
  ['1.0.0-rc.1+7', '1.0.0-rc.1'],
  ['01.02.03', '1.2.3'],
  [' 1.0.0 ', '1.0.0'],
]

const UNPARSABLE = [
  '',
  'v',
  'latest',
  '1.2.3.4',
  '1.0b2',
  '1.',
  '.1',
  '1.0.0-',
  '1.0.0+',
  '1.0.0-a..b',
  '1 0',
  'vv1',
  '1'.repeat(20),
]

describe('the order of versions', () => {
  for (const versions of ASCENDING) {
    test(versions.join(' < '), () => {
      const pairs = versions.flatMap((older, index) =>
        versions.slice(index + 1).map((newer) => [older, newer] as const),
      )
      for (const [older, newer] of pairs) {
        expect([older, newer, Math.sign(compareVersionTexts(older, newer))]).toEqual([older, newer, -1])
        expect([newer, older, Math.sign(compareVersionTexts(newer, older))]).toEqual([newer, older, 1])
      }
    })
  }

  test.each(EQUAL)('%j and %j are the same', (left, right) => {
    expect(compareVersionTexts(left, right)).toBe(0)
  })

  test.each(UNPARSABLE)('%j is no semantic version, so it is older than any', (version) => {
    expect(compareVersionTexts(version, '0.0.1-a')).toBe(-1)
    expect(compareVersionTexts('0.0.1-a', version)).toBe(1)
    expect(compareVersionTexts(version, 'nightly')).toBe(0)
  })
})
