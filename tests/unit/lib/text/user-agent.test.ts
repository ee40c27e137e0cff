import { describe, expect, test } from 'bun:test'

import { type Client, CLIENTS, parseClient } from '../../../../src/lib/text/user-agent.ts'

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
