import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy extends AsyncDisposable {
  port: number
  /** Breaks every connection and takes no new one. */
  cut(): void
  /** Cuts as soon as bytes to the service fit; settles then, and they never arrive. */
  cutWhen(fits: (bytes: Buffer) => boolean): Promise<void>
  restore(): Promise<void>
}

/** Stands before a service, so that tests can take the service away and bring it back. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let trap: ((bytes: Buffer) => boolean) | null = null

  function track(socket: Socket): Socket {
    sockets.add(socket)
    // Both ends of a connection that is cut complain.
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const service = track(connect(target))
    track(client).on('data', (bytes) => {
      if (typeof bytes === 'string' || trap?.(bytes)) return
      if (!service.write(bytes)) client.pause()
    })
    service.on('drain', () => client.resume()).pipe(client)
    client.on('close', () => service.destroy())
    service.on('close', () => client.destroy())
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })

  function cut(): void {
    trap = null
    server.close()
    for (const socket of sockets) socket.destroy()
  }

  await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    port,
    cut,
    cutWhen: (fits) =>
      new Promise((resolve) => {
        trap = (bytes) => {
          if (!fits(bytes)) return false
          cut()
          resolve()
          return true
        }
      }),
    restore: () => listen(port),
    async [Symbol.asyncDispose]() {
      cut()
    },
  }
}
