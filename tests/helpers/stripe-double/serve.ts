import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'

import { startStripeDouble, type StripeDouble } from './double.ts'
import { type Books, createBooks } from './state.ts'

const PORT = 8091

/** Starts the double for manual testing, beside a store at this address. Its books are kept in the store's folder. */
export async function serveStripeDouble(store: string, dataDir: string): Promise<StripeDouble> {
  const file = Bun.file(join(dataDir, 'stripe-double'))
  const kept = (await file.exists())
    ? { books: { ...createBooks(), ...(deserialize(await file.bytes()) as Books) } }
    : {}
  const double = await startStripeDouble({ port: PORT, ...kept })
  double.sendTo(store)
  double.watch((_, when) => {
    if (when === 'after') void file.write(serialize(double.books))
  })
  const lines = [
    `A double of Stripe runs at ${double.origin}. No real money moves. The store is started with:`,
    ...Object.entries(double.env).map(([name, value]) => `  ${name}=${value}`),
    'To sell and buy something, with the accounts that are printed once the store runs:',
    `  1. As a developer open ${store}/studio/payouts, press Connect with Stripe, then Finish.`,
    '  2. Give one of your public projects a price on its tab Pricing, if it has none.',
    '  3. As a player open its page, press Buy, then Pay or Cancel. What you paid is in your library.',
    '  4. Request a refund on the page of the order. Sales are in the studio, and for operators at /operate/sales.',
    '',
  ]
  process.stdout.write(lines.join('\n'))
  return double
}
