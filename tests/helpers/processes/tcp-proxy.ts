import { connect, createServer, type Socket } from 'node:net'

import { findKeptPort } from './child.ts'

/** `freeze` leaves both sockets open and forwards nothing, like a half-open connection. */
export type Treatment = 'forward' | 'freeze' | 'cut'

export interface TcpProxy extends AsyncDisposable {
  port: number
  /** Closes every connection and accepts no new ones. */
  cut(): void
  /** Closes all connections once bytes to the service match, and then resolves. The bytes never arrive. */
  cutWhen(fits: (bytes: Buffer) => boolean): Promise<void>
  /** The same, but closes only the connection with the matching bytes. */
  breakWhen(fits: (bytes: Buffer) => boolean): Promise<void>
  /**
   * From these bytes on the service receives nothing more of that connection, not even its end, but can still
   * send.
   */
  muteWhen(fits: (bytes: Buffer) => boolean): void
  restore(): Promise<void>
  /** Holds back everything that the service sends from now on for this long. */
  delay(ms: number): void
  /** Sets the mode of open and future connections by the first bytes of their client. */
  treat(choose: (hello: Buffer) => Treatment): void
}

/** A proxy in front of a service, so that tests can disconnect and reconnect it. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const links = new Set<Link>()
  let trap: ((bytes: Buffer, link: Link) => boolean) | null = null
  let choose: (hello: Buffer) => Treatment = () => 'forward'
  let delayMs = 0

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const link = new Link(client, connect(target), () => delayMs)
    links.add(link)
    client.on('close', () => links.delete(link))
    client.on('data', (bytes) => {
      if (typeof bytes === 'string') return
      if (trap?.(bytes, link)) return
      link.send(bytes, choose)
    })
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })

  function cut(): void {
    trap = null
    server.close()
    for (const link of links) link.destroy()
  }

  function spring(fits: (bytes: Buffer) => boolean, onFit: (link: Link) => void): Promise<void> {
    return new Promise((resolve) => {
      trap = (bytes, link) => {
        if (!fits(bytes)) return false
        trap = null
        onFit(link)
        resolve()
        return true
      }
    })
  }

  const port = findKeptPort()
  await listen(port)
  return {
    port,
    cut,
    cutWhen: (fits) => spring(fits, cut),
    breakWhen: (fits) => spring(fits, (link) => link.destroy()),
    muteWhen(fits) {
      trap = (bytes, link) => fits(bytes) && link.mute()
    },
    restore: () => listen(port),
    delay: (ms) => void (delayMs = ms),
    treat(chosen) {
      choose = chosen
      for (const link of links) link.treat(choose)
    },
    async [Symbol.asyncDispose]() {
      cut()
    },
  }
}

/** Returns the same address through the proxy. */
export function behind(url: string, proxy: TcpProxy): string {
  const address = new URL(url)
  address.hostname = '127.0.0.1'
  address.port = String(proxy.port)
  return address.href
}

class Link {
  #hello: Buffer | null = null
  #isFrozen = false
  #isMuted = false
  #held = 0
  #delivered = Promise.resolve()

  constructor(
    private readonly client: Socket,
    private readonly service: Socket,
    private readonly readDelay: () => number,
  ) {
    // Both ends of a closed connection emit errors.
    for (const socket of [client, service])
      socket.on('error', () => undefined).on('close', () => this.destroy())
    service.on('drain', () => client.resume())
    service.on('data', (bytes) => this.#receive(bytes))
    client.on('drain', () => service.resume())
    client.on('end', () => this.#isMuted || service.end())
  }

  #receive(bytes: string | Buffer): void {
    const ms = this.readDelay()
    if (ms === 0 && this.#held === 0) return this.#deliver(bytes)
    // In order, also when the delay has changed meanwhile.
    this.#held += 1
    const due = performance.now() + ms
    this.#delivered = this.#deliverAt(due, bytes, this.#delivered)
  }

  async #deliverAt(due: number, bytes: string | Buffer, earlier: Promise<void>): Promise<void> {
    await earlier
    await Bun.sleep(Math.max(0, due - performance.now()))
    this.#held -= 1
    this.#deliver(bytes)
  }

  #deliver(bytes: string | Buffer): void {
    if (!this.#isFrozen && !this.client.write(bytes)) this.service.pause()
  }

  send(bytes: Buffer, choose: (hello: Buffer) => Treatment): void {
    this.#hello ??= bytes
    this.treat(choose)
    if (!this.#isFrozen && !this.#isMuted && !this.service.write(bytes)) this.client.pause()
  }

  treat(choose: (hello: Buffer) => Treatment): void {
    const treatment = this.#hello ? choose(this.#hello) : 'forward'
    // Bytes sent on a frozen connection are lost, so it stays frozen until it is closed.
    this.#isFrozen ||= treatment === 'freeze'
    if (treatment === 'cut') this.destroy()
  }

  mute(): true {
    return (this.#isMuted = true)
  }

  destroy(): void {
    this.client.destroy()
    this.service.destroy()
  }
}
