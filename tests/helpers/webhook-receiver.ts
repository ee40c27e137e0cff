export interface ReceivedWebhook {
  path: string
  body: string
  headers: Headers
}

export interface WebhookReceiver {
  url(path?: string): string
  port: number
  received: ReceivedWebhook[]
  /** Called for every webhook; 200 by default. */
  answer: (path: string) => Response | Promise<Response>
  stop(): Promise<void>
}

export function startReceiver(port = 0): WebhookReceiver {
  const received: ReceivedWebhook[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      received.push({ path, body: await request.text(), headers: request.headers })
      return await receiver.answer(path)
    },
  })
  const receiver: WebhookReceiver = {
    url: (path = '/') => `http://127.0.0.1:${server.port}${path}`,
    port: server.port ?? 0,
    received,
    answer: () => new Response('ok'),
    stop: () => server.stop(true),
  }
  return receiver
}
