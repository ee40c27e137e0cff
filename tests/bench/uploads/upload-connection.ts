const MIB = 1024 * 1024

/** Every upload repeats this block. */
const BLOCK = new Uint8Array(MIB)
for (let offset = 0; offset < MIB; offset += 65_536)
  crypto.getRandomValues(BLOCK.subarray(offset, offset + 65_536))

export function hashUpload(bytes: number): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const piece of piecesOf(0, bytes)) hasher.update(piece)
  return hasher.digest('hex')
}

export function* piecesOf(start: number, end: number): Generator<Uint8Array> {
  for (let at = start; at < end;) {
    const offset = at % MIB
    const piece = BLOCK.subarray(offset, offset + Math.min(MIB - offset, end - at))
    yield piece
    at += piece.byteLength
  }
}

export interface Sending {
  method: string
  path: string
  headers: Record<string, string>
  /** Text before and after the bytes of the upload. */
  before?: string
  after?: string
  range?: readonly [start: number, end: number]
}

export interface Answer {
  status: number
  headers: Headers
  body: string
}

export interface Connection {
  send(sending: Sending): Promise<Answer>
  close(): void
}

/** Hand-written HTTP over one connection, to use as little CPU time as possible. */
export async function connectTo(url: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url)
  let received = ''
  let wake = () => undefined as void
  const woken = () => new Promise<void>((resolve) => (wake = resolve))
  let closed = false
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, bytes) => {
        received += bytes.toString('latin1')
        wake()
      },
      drain: () => wake(),
      close: () => {
        closed = true
        wake()
      },
    },
  })

  async function write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.byteLength;) {
      const waiting = woken()
      const written = socket.write(bytes, done, bytes.byteLength - done)
      if (closed || written < 0) throw new Error('The server closed the connection')
      done += written
      if (done < bytes.byteLength) await waiting
    }
  }

  async function readAnswer(): Promise<Answer> {
    for (;;) {
      const answer = parseAnswer(received)
      if (answer) {
        received = ''
        return answer
      }
      if (closed) throw new Error('The server closed the connection')
      await woken()
    }
  }

  return {
    async send({ method, path, headers, before = '', after = '', range: [start, end] = [0, 0] }) {
      const length = Buffer.byteLength(before) + (end - start) + Buffer.byteLength(after)
      const lines = Object.entries({ host, ...headers, 'content-length': String(length) })
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      await write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${before}`))
      for (const piece of piecesOf(start, end)) await write(piece)
      await write(Buffer.from(after))
      return await readAnswer()
    },
    close: () => void socket.end(),
  }
}

/** Returns null while the response is incomplete. */
function parseAnswer(text: string): Answer | null {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const body = text.slice(end + 4)
  const isWhole =
    headers.get('transfer-encoding') === 'chunked'
      ? body.endsWith('0\r\n\r\n')
      : body.length >= Number(headers.get('content-length') ?? 0)
  return isWhole ? { status: Number(first.split(' ')[1]), headers, body } : null
}
