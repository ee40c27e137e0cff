import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { SocketFault } from './faults.ts'

export interface Listening {
  origin: string
  stop(): Promise<void>
}

/** A server that can also drop connections. */
export async function listen(
  port: number,
  answer: (request: Request) => Promise<Response | SocketFault>,
): Promise<Listening> {
  const server = createServer((incoming, outgoing) => void reply(incoming, outgoing, answer))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    origin: originOf(server.address() as AddressInfo),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function reply(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response | SocketFault>,
): Promise<void> {
  const method = incoming.method ?? 'GET'
  const body = method === 'GET' ? null : Buffer.concat(await incoming.toArray())
  const url = `http://${incoming.headers.host}${incoming.url}`
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const answered = await answer(new Request(url, { method, body, headers }))
  if (answered === 'hang') return
  if (answered === 'reset') {
    incoming.socket.destroy()
    return
  }
  if (answered === 'half') {
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    outgoing.write('{"response":{"par', () => incoming.socket.destroy())
    return
  }
  outgoing.writeHead(answered.status, Object.fromEntries(answered.headers))
  outgoing.end(Buffer.from(await answered.arrayBuffer()))
}

function originOf({ address, port }: AddressInfo): string {
  return `http://${address}:${port}`
}
