import { createHmac } from 'node:crypto'

import type { StripeEvent } from './state.ts'

const RETRY_MS = 200
const ATTEMPTS = 50

/** The `Stripe-Signature` of a body. */
export function signEvent(body: string, secret: string, at = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

export async function postEvent(url: string, body: string, signature: string): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
    body,
    signal: AbortSignal.timeout(10_000),
  })
}

/** Repeats until the receiver takes it, as Stripe does for three days. */
export async function deliver(
  url: string,
  event: StripeEvent,
  secret: string,
  isWanted: () => boolean,
): Promise<void> {
  const body = JSON.stringify(event)
  for (let attempt = 0; attempt < ATTEMPTS && isWanted(); attempt += 1) {
    const answer = await postEvent(url, body, signEvent(body, secret)).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
    await Bun.sleep(RETRY_MS)
  }
}
