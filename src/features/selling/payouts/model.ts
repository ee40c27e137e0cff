import { t } from 'elysia'

/** The Stripe account of a developer. */
export const Payouts = t.Object(
  {
    connected: t.Boolean(),
    charges_enabled: t.Boolean({ description: 'Whether the priced listings of the account can be bought.' }),
    payouts_enabled: t.Boolean(),
    details_submitted: t.Boolean(),
    missing: t.Array(t.String({ examples: ['external_account'] }), {
      description: 'What Stripe still asks for.',
    }),
  },
  { $id: 'Payouts' },
)
export type Payouts = typeof Payouts.static

export const StripeLink = t.Object({
  url: t.String({ format: 'uri', description: 'A page of Stripe; the address works once.' }),
})
export type StripeLink = typeof StripeLink.static
