import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { AppError } from '../../../../src/errors.ts'
import { type FormOptions, readForm } from '../../../../src/lib/form/multipart.ts'
import {
  failureOf,
  FORM_END,
  FORM_TYPE,
  formFile,
  formRequest,
  formText,
  streamRequest,
} from '../../../helpers/site/forms.ts'
import { waitFor } from '../../../helpers/wait.ts'

const HEAD = formFile('file', '').slice(0, -2)
const MEGABYTE = 1024 * 1024

/** A file without end, and how much of it was asked for. */
function endless() {
  const state = { pulled: 0, cancelled: false }
  const request = streamRequest(
    (controller) => {
      controller.enqueue(state.pulled === 0 ? Buffer.from(HEAD) : Buffer.alloc(1000, 'x'))
      state.pulled += 1
    },
    FORM_TYPE,
    () => {
      state.cancelled = true
    },
  )
  return { request, state }
}

const read = (request: Request, onFile: FormOptions['onFile'], signal?: AbortSignal) =>
  readForm(request, { maxBodyBytes: Number.POSITIVE_INFINITY, maxFiles: 9, onFile, signal })

describe('the consumer of a file', () => {
  test('sets the pace: nothing is read before it asks', async () => {
    const { request, state } = endless()
    const seen: number[] = []
    const work = read(request, async ({ stream }) => {
      seen.push(state.pulled)
      const reader = stream.getReader()
      for (let count = 0; count < 3; count += 1) await reader.read()
      seen.push(state.pulled)
      throw new AppError('taken')
    })
    expect(await failureOf(work)).toMatchObject({ code: 4090 })
    expect(seen).toEqual([1, 4])
    expect(state).toEqual({ pulled: 4, cancelled: true })
  })

  test('is the only one at a time', async () => {
    const events: string[] = []
    const body = formFile('a', '1') + formFile('b', '2') + FORM_END
    await read(formRequest(body, 1000), async ({ field, stream }) => {
      events.push(`${field} begins`)
      await new Response(stream).text()
      await Bun.sleep(0)
      events.push(`${field} ends`)
    })
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  test.each<[string, (stream: ReadableStream<Uint8Array>) => Promise<unknown>]>([
    ['reads nothing', async () => undefined],
    ['stops after a piece', async (stream) => await stream.getReader().read()],
    ['asks and does not wait', async (stream) => void stream.getReader().read()],
    ['cancels', async (stream) => await stream.cancel()],
    [
      'cancels after a piece',
      async (stream) => {
        const reader = stream.getReader()
        await reader.read()
        await reader.cancel()
      },
    ],
  ])('may leave bytes unread: it %s', async (_, consume) => {
    const body = formFile('a', 'x'.repeat(5000)) + formText('b', 'two') + FORM_END
    const fields = await read(formRequest(body, 100), async ({ stream }) => void (await consume(stream)))
    expect(fields.get('b')).toBe('two')
  })

  test('learns that the form broke off, and cannot hide it', async () => {
    const half = HEAD + 'x'.repeat(5000)
    const hiding = read(formRequest(half, 100), async ({ stream }) => {
      await new Response(stream).text().catch(() => 'never mind')
    })
    expect(await failureOf(hiding)).toMatchObject({ code: 4000 })
    const wrapping = read(formRequest(half, 100), async ({ stream }) => {
      await new Response(stream).text().catch((cause: unknown) => {
        throw new AppError('service_down', { cause })
      })
    })
    expect(await failureOf(wrapping)).toMatchObject({ code: 4000 })
  })

  test('is told when the body itself fails', async () => {
    const request = streamRequest((controller) => controller.error(new Error('The connection was reset')))
    expect(await failureOf(read(request, async () => undefined))).toMatchObject({ code: 4000 })
  })

  test('gets no more when the time is over', async () => {
    const abort = new AbortController()
    let sent = false
    const request = streamRequest(async (controller) => {
      if (sent) await new Promise(() => undefined)
      controller.enqueue(Buffer.from(HEAD))
      sent = true
    })
    const work = read(
      request,
      async ({ stream }) => {
        abort.abort()
        await new Response(stream).text()
      },
      abort.signal,
    )
    expect(await failureOf(work)).toMatchObject({ code: 4000, message: 'The form took too long to arrive.' })
    const late = read(formRequest(FORM_END), async () => undefined, AbortSignal.abort())
    expect(await failureOf(late)).toMatchObject({ message: 'The form took too long to arrive.' })
  })
})

describe('over a real connection', () => {
  let outcome: { code: number; received: number } | null = null
  let arrived = 0
  let server: Bun.Server<undefined>
  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      async fetch(request) {
        const limit = Number(new URL(request.url).searchParams.get('limit') ?? Number.POSITIVE_INFINITY)
        let received = 0
        try {
          await read(request, async ({ stream }) => {
            for await (const bytes of stream) {
              received += bytes.length
              arrived = received
              if (received > limit) throw new AppError('too_large')
            }
          })
          outcome = { code: 0, received }
        } catch (error) {
          outcome = { code: error instanceof AppError ? error.code : -1, received }
        }
        return Response.json(outcome)
      },
    })
  })
  afterAll(() => server.stop(true))

  test('many megabytes come through', async () => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(40 * MEGABYTE)]))
    const answer = await fetch(server.url, { method: 'POST', body: form })
    expect(await answer.json()).toEqual({ code: 0, received: 40 * MEGABYTE })
  })

  test('a sender who is refused in the middle still gets the answer', async () => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(40 * MEGABYTE)]))
    const answer = await fetch(`${server.url.href}?limit=${MEGABYTE}`, { method: 'POST', body: form })
    const { code, received } = (await answer.json()) as { code: number; received: number }
    expect(code).toBe(4130)
    expect(received).toBeLessThan(10 * MEGABYTE)
  })

  test.each(['content-length: 9999999', 'transfer-encoding: chunked'])(
    'a client that hangs up is noticed (%s)',
    async (framing) => {
      outcome = null
      arrived = 0
      const socket = connect(server.port ?? 0, '127.0.0.1')
      const data = framing.startsWith('t')
        ? `${(HEAD.length + 4).toString(16)}\r\n${HEAD}half\r\n`
        : `${HEAD}half`
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${FORM_TYPE}\r\n${framing}\r\n\r\n${data}`)
      await waitFor('the first bytes arrive', () => arrived > 0)
      socket.destroy()
      expect(await waitFor('the form fails', () => outcome)).toEqual({ code: 4000, received: 4 })
    },
  )
})
