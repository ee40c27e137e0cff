import { describe, expect, test } from 'bun:test'

import { openScreenshotFile } from '../../../../src/features/bugs/reports/receive.ts'
import { createChatBody, isChatService } from '../../../../src/features/bugs/webhooks/deliver.ts'
import { failureOf } from '../../../helpers/site/forms.ts'

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

const MB = 1024 ** 2
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Counts how much was read from the sender. */
function createSource(first: Uint8Array, pieces: number) {
  const sent = { pieces: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent.pieces > pieces) return controller.close()
        controller.enqueue(sent.pieces === 0 ? first : new Uint8Array(MB))
        sent.pieces += 1
      },
    },
    { highWaterMark: 0 },
  )
  return { sent, file: { filename: 'a.png', stream } }
}

describe('a screenshot', () => {
  test('is passed on as it arrives, never read ahead', async () => {
    const { sent, file } = createSource(PNG, 32)
    const opened = await openScreenshotFile(file)
    const reader = opened?.stream.getReader()
    const before = sent.pieces
    let size = 0
    for (let n = 0; n < 5; n += 1) size += (await reader?.read())?.value?.length ?? 0
    expect([before, sent.pieces]).toEqual([2, 6])
    expect(size).toBe(PNG.length + 5 * MB)
  })

  test('fails once it is larger than 32 MiB, without reading the rest', async () => {
    const { sent, file } = createSource(PNG, 1000)
    const opened = await openScreenshotFile(file)
    const whole = new Response(opened?.stream).arrayBuffer()
    expect(await failureOf(whole)).toMatchObject({ status: 413, code: 4130 })
    expect(sent.pieces).toBeLessThan(35)
  })

  test.each([
    ['png', PNG],
    ['jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1')],
  ] as const)('is recognised by its bytes: %s', async (format, bytes) => {
    expect(await openScreenshotFile(createSource(bytes, 1).file)).toMatchObject({ format })
  })

  test('an empty file without a name is none', async () => {
    const stream = new Blob([]).stream()
    expect(await openScreenshotFile({ filename: '', stream })).toBeNull()
  })
})
