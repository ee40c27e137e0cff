import type { Edition } from '../../../features/listings/pricing/model.ts'
import type { SaleFault } from '../../../features/selling/payouts/service.ts'
import { Notice } from '../../components/notice.tsx'
import type { Project } from '../frame/project.ts'

export interface Sale {
  fault: SaleFault | null
}

interface SaleStateProps {
  project: Project
  /** Null in a store that sells nothing. */
  sale: Sale | null
  editions: readonly Edition[]
}

const SALE_FAULTS: Readonly<Record<SaleFault, string>> = {
  hidden: 'It is not for sale: the page is not public.',
  no_account: 'It is not for sale: its owner has not connected a Stripe account.',
  account_incomplete:
    'It is not for sale: the Stripe account of its owner cannot take charges at the moment.',
}

/** Says why nobody can buy it, where it has a price. */
export function SaleState({ project: { listing }, sale, editions }: SaleStateProps) {
  const isPriced = listing.price_cents > 0 || listing.pay_more || editions.some(({ active }) => active)
  if (sale === null || !isPriced) return null
  if (sale.fault === null) return <Notice tone="good">It is for sale.</Notice>
  return (
    <Notice tone="warn">
      {SALE_FAULTS[sale.fault]}{' '}
      {sale.fault !== 'hidden' && listing.role === 'owner' ? (
        <a href="/studio/payouts">Open payouts</a>
      ) : null}
    </Notice>
  )
}
