import { defineJob } from '../../../jobs/define.ts'

/** Updates the state of a developer's account from Stripe. */
export const syncPayouts = defineJob<{ accountId: string }>(
  'selling.account',
  { lane: 'payments' },
  async (deps, { accountId }) => {
    const { syncAccount } = await import('./service.ts')
    await syncAccount(deps, accountId)
  },
)
