import { describe, expect, test } from 'bun:test'

import { createChatBody, isChatService } from '../../../../src/features/bugs/webhooks/deliver.ts'

const ticket = {
  uid: '01980f5e-8b42-7d35-8e1c-63d207b4f9c5',
  message: '@everyone look',
  clientVersion: '1.4.1',
  os: null,
  arch: null,
  buildId: null,
  hasLog: true,
  createdAt: new Date(0),
}
const game = { uid: 'g', name: 'Last Lamp' }

function fieldsOf(body: string): Record<string, string> {
  const { embeds } = JSON.parse(body) as { embeds: { fields: { name: string; value: string }[] }[] }
  return Object.fromEntries(embeds.flatMap(({ fields }) => fields.map(({ name, value }) => [name, value])))
}

describe('the embed for chat services', () => {
  test('has game, ticket, version, and whether there is a log or a screenshot', () => {
    const body = createChatBody({ event: 'bug.created', game, ticket, screenshotUrl: null })
    expect(fieldsOf(body)).toEqual({
      Game: 'Last Lamp',
      Ticket: ticket.uid,
      Version: '1.4.1',
      Log: 'yes',
      Screenshot: 'no',
    })
    expect(body).not.toContain('everyone')
    expect(body).not.toContain('signature')
  })

  test('attaches nothing, and mentions and formats nothing', () => {
    const version = '@everyone **[x](https://x.example)**'
    const event = { event: 'bug.created', game, screenshotUrl: 'https://x/y.png' } as const
    const body = createChatBody({ ...event, ticket: { ...ticket, clientVersion: version, hasLog: false } })
    expect(fieldsOf(body)).toMatchObject({ Log: 'no', Screenshot: 'yes' })
    expect(fieldsOf(body).Version).toBe(String.raw`\@everyone \*\*\[x\]\(https\://x.example\)\*\*`)
    expect(body).not.toContain('y.png')
    expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } })
  })

  test.each([
    ['https://discord.com/api/webhooks/1/x', true],
    ['https://discordapp.com/api/webhooks/1/x', true],
    ['https://discord.com.example.org/api/webhooks/1/x', false],
    ['https://example.org/?https://discord.com/api/webhooks/', false],
    ['https://discord.com/other', false],
  ])('%s: %p', (url, expected) => {
    expect(isChatService(url)).toBe(expected)
  })
})
