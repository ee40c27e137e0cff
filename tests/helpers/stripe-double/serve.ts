import { startStripeDouble, type StripeDouble } from './double.ts'

const PORT = 8091

/** Starts the double for manual testing, beside a store at this address. */
export async function serveStripeDouble(store: string): Promise<StripeDouble> {
  const double = await startStripeDouble({ port: PORT })
  double.sendTo(store)
  const lines = [
    'A double of Stripe, with pages that say Pay or Cancel:',
    ...Object.entries(double.env).map(([name, value]) => `  ${name}=${value}`),
    '',
  ]
  process.stdout.write(lines.join('\n'))
  return double
}
