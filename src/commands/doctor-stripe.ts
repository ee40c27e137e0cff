import type { Deps } from '../deps.ts'

interface StripeFinding {
  ok: boolean
  warning?: boolean
  subject: string
  text: string
}

const SUBJECT = 'webhook'

/** Whether events of Stripe reach the store; nothing in a store that sells nothing. */
export async function checkStripeWebhook({ payments, config }: Deps): Promise<StripeFinding[]> {
  if (!payments || !config.payments) return []
  const address = `${config.baseUrl}/api/v1/stripe/webhook`
  if (config.payments.webhookSecrets.length === 0) {
    const text = `STRIPE_WEBHOOK_SECRET is not set, so no event is believed. Add the endpoint ${address} in Stripe's dashboard and set its signing secret.`
    return [{ ok: false, subject: SUBJECT, text }]
  }
  try {
    const urls = await payments.listWebhookUrls()
    if (urls.includes(address))
      return [{ ok: true, subject: SUBJECT, text: `Stripe sends events to ${address}` }]
    const others = urls.length === 0 ? 'Stripe knows no endpoint' : `Stripe knows ${urls.join(', ')}`
    const text = `${others}. Add ${address} in its dashboard; until then orders are asked about once a minute.`
    return [{ ok: true, warning: true, subject: SUBJECT, text }]
  } catch {
    // The service itself is reported by its probe; a restricted key may not be allowed to list endpoints.
    const text = `could not be checked: the key may not list endpoints, or Stripe does not answer. It must be ${address}.`
    return [{ ok: true, warning: true, subject: SUBJECT, text }]
  }
}
