import { openObjectStore } from '../../../src/clients/objects/open-object-store.ts'
import { parseConfig } from '../../../src/config/config.ts'

/** Nothing but the object store: PUT stores a body, with `?sha256` also hashed; GET sends it back. */
const objects = await openObjectStore(parseConfig(process.env).storage, {
  baseUrl: 'http://localhost',
  linkKeys: { signing: 'unused' },
})

async function answer({ method, url, body }: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(url)
  const key = `saves${pathname}`
  if (key === 'saves/') return new Response('ready')
  if (method !== 'PUT') return new Response((await objects.get(key)).stream)
  const hasher = searchParams.has('sha256') ? new Bun.CryptoHasher('sha256') : null
  await objects.put(key, body ?? new Blob([]).stream(), {
    ...(hasher && { release: (piece) => void hasher.update(piece) }),
  })
  return new Response(hasher?.digest('hex'), { status: 201 })
}

Bun.serve({ port: Number(process.env['PORT']), hostname: '127.0.0.1', fetch: answer })
