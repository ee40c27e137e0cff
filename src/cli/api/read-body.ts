import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

import { readLimited, TooLarge } from '../../lib/bytes/read-limited.ts'
import { codeOf } from '../cli-error.ts'

/** What is asked for, together with `decompress: false`: the runtime unpacks without a limit. */
export const ENCODINGS = 'gzip'

const unpack = promisify<Uint8Array, object, Buffer>(gunzip)

/** The body of a response, unpacked; throws `TooLarge` before it takes more memory than that. */
export async function readBody({ body, headers }: Response, max: number): Promise<Uint8Array> {
  const bytes = await readLimited(body, max)
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (encoding === 'identity' || bytes.length === 0) return bytes
  if (encoding !== ENCODINGS) throw new Error(`it answers in the encoding ${encoding}`)
  return await unpack(bytes, { maxOutputLength: max }).catch((error: unknown) => {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? new TooLarge(max) : error
  })
}

export async function readText(response: Response, max: number): Promise<string> {
  return new TextDecoder().decode(await readBody(response, max))
}
