import { describe, expect, test } from 'bun:test'

import type { MailStore } from '../../../src/clients/mail/mail-html.ts'
import {
  composeMail,
  composeNewsMail,
  REACH_OPERATORS,
  signMail,
  STORE_NAME,
} from '../../../src/clients/mail/mail.ts'
import { derivePalette } from '../../../src/domain/palette.ts'

const BASE_URL = 'https://games.example.org'
const STORE: MailStore = {
  name: 'Lantern <b>Games</b>',
  contact: 'help@example.org',
  baseUrl: BASE_URL,
  palettes: derivePalette('#0f766e'),
  logo: null,
  darkLogo: null,
  icon: null,
}
const to = { email: 'ada@example.org', name: 'Ada' }
const page = `${BASE_URL}/games/lamp?a=1&b=2`

function send(paragraphs: readonly string[], store: Partial<MailStore> = {}) {
  const mail = composeMail(to, `News of ${STORE_NAME}`, paragraphs, { label: 'Open the page', url: page })
  const signed = signMail(mail, { ...STORE, ...store })
  return { ...signed, html: signed.html ?? '' }
}

describe('a mail', () => {
  test('has one button where its text has the address, and says the rest', () => {
    const { text, html } = send(['Something happened.', `See for yourself: ${page}`, `Once more: ${page}`])
    expect(text).toContain(`See for yourself: ${page}`)
    expect(html.match(/class="button"/g)).toHaveLength(1)
    expect(html).toContain('>See for yourself:</p>')
    expect(html.match(/href="https:\/\/games\.example\.org\/games\/lamp\?a=1&amp;b=2"/g)).toHaveLength(2)
    expect(html).toContain('Something happened.')
    expect(html).toContain('Hello Ada,')
  })

  test.each([[page], [`Open the page: ${page}`]])('does not say what the button says: %s', (paragraph) => {
    expect(send([paragraph]).html).not.toContain('Open the page:')
  })

  test('escapes all that people wrote, and links only to the store', () => {
    const { html } = send([
      '<script>1</script> & "x"',
      'https://evil.example/?<img src=x>',
      `${BASE_URL}.evil.example/`,
    ])
    expect(html).not.toContain('<script>')
    expect(html).not.toContain('<img')
    expect(html).toContain('Lantern &lt;b&gt;Games&lt;/b&gt;')
    expect(html).not.toContain('href="https://evil.example')
    expect(html).not.toContain('evil.example/"')
  })

  test('wears the colours of the store in both themes, and its logo or icon', () => {
    const { light, dark } = STORE.palettes
    expect(send([]).html).toContain(`background:${light.page}`)
    expect(send([]).html).toContain(`background: ${dark.page} !important`)
    expect(send([page]).html).toContain(`background:${light.accent}`)
    const logo = { url: `${BASE_URL}/media/store/logo.webp`, width: 400, height: 100 }
    expect(send([], { logo }).html).toContain(`src="${logo.url}" width="144" height="36" alt="Lantern`)
    const both = send([], { logo, darkLogo: { ...logo, url: `${BASE_URL}/dark.webp` } }).html
    expect(both.match(/<img /g)).toHaveLength(2)
    const icon = { url: `${BASE_URL}/icon.png`, width: 512, height: 512 }
    expect(send([], { icon }).html).toContain('width="32" height="32" alt=""')
  })

  test('can be answered where the contact is an address, and asks for it nowhere else', () => {
    const ask = `To object, ${REACH_OPERATORS}.`
    expect(send([ask])).toMatchObject({ replyTo: 'help@example.org' })
    expect(send([ask]).html).toContain('To object, answer this mail.')
    const elsewhere = send([ask], { contact: 'https://example.org/help' })
    expect(elsewhere.replyTo).toBeUndefined()
    expect(elsewhere.html).toContain('write to us at https://example.org/help')
    const nowhere = send([ask], { contact: null })
    expect(nowhere.replyTo).toBeUndefined()
    expect(nowhere.text + nowhere.html).not.toMatch(/answer|object/)
  })
})

describe('a mail with news', () => {
  const items = [
    { label: 'Post', title: 'The lamp turns', text: 'It shines <again>.', url: `${page}&c=3` },
    { label: 'Release', title: '1.2.0', text: null, url: page },
  ]
  const news = {
    groups: [{ name: 'Lantern "Bay"', url: `${BASE_URL}/games/bay`, items }],
    more: 'And 12 more.',
    settingsUrl: `${BASE_URL}/account/notices`,
    ends: [{ name: 'Posts', url: `${BASE_URL}/notices/unsubscribe/x` }],
  }
  const mail = composeNewsMail(to, 'News of Lantern Bay', 'This is new for you.', news, {
    label: 'All notices',
    url: `${BASE_URL}/notices`,
  })
  const { text, html = '', replyTo } = signMail(mail, STORE)

  test('says the same as text and as HTML', () => {
    for (const said of [
      'Hello Ada,',
      'This is new for you.',
      'The lamp turns',
      '1.2.0',
      'And 12 more.',
      'All notices',
    ]) {
      expect(text).toContain(said)
      expect(html).toContain(said)
    }
    for (const url of [...items.map((item) => item.url), news.settingsUrl, news.ends[0]?.url ?? '']) {
      expect(text).toContain(url)
      expect(html).toContain(`href="${Bun.escapeHTML(url)}"`)
    }
    expect(text).toEndWith('Lantern <b>Games</b>\nhelp@example.org\n')
    expect(replyTo).toBe('help@example.org')
  })

  test('has one button, escapes what people wrote, and knows both themes', () => {
    expect(html.match(/class="button"/g)).toHaveLength(1)
    expect(html).toContain('Lantern &quot;Bay&quot;')
    expect(html).toContain('It shines &lt;again&gt;.')
    expect(html).not.toContain('<again>')
    const { dark } = STORE.palettes
    expect(html).toContain(`.rule { border-color: ${dark.line} !important }`)
  })
})
