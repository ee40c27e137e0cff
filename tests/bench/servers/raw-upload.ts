import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** A minimal upload server: hashes the body as it arrives and writes it to disk. */
const FOLDER = process.env['FOLDER'] ?? ''

async function receive(body: ReadableStream<Uint8Array>): Promise<Response> {
  const hasher = new Bun.CryptoHasher('sha256')
  const file = await open(join(FOLDER, crypto.randomUUID()), 'wx')
  try {
    for await (const bytes of body) {
      hasher.update(bytes)
      await file.write(bytes)
    }
    await file.datasync()
  } finally {
    await file.close()
  }
  return new Response(hasher.digest('hex'), { status: 201 })
}

Bun.serve({
  port: Number(process.env['PORT']),
  hostname: '127.0.0.1',
  maxRequestBodySize: 6 * 1024 ** 3,
  fetch: ({ body }) => (body ? receive(body) : new Response('ready')),
})
