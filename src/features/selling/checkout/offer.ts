import type { Db } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { amountsFor } from '../../../domain/listings/orders.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { type GameRow, type Role } from '../../games/service.ts'
import { findEditionOf } from '../../listings/pricing/service.ts'
import { holdsEdition } from '../orders/held.ts'
import { findSaleAccount, type SaleFault } from '../payouts/service.ts'
import type { CheckoutInput } from './model.ts'

/** What is bought, for how much, and who is paid. */
export interface Offer {
  edition: { uid: string; name: string } | null
  amountCents: number
  accountId: string
}

const SALE_FAULTS: Readonly<Record<SaleFault, string>> = {
  hidden: 'This page is not public, so it cannot be bought.',
  no_account: 'It is not for sale: its developer cannot take payments yet.',
  account_incomplete: 'It is not for sale: its developer cannot take payments at the moment.',
}

/** Throws why this person cannot buy it. */
export async function requireOffer(
  db: Db,
  user: WebsiteUser,
  { game, role }: { game: GameRow; role: Role | null },
  input: CheckoutInput,
): Promise<Offer> {
  if (role !== null)
    throw new AppError('already_owned', {
      message: 'You work on this listing: you have it without buying it.',
    })
  if (game.adult && !user.adultContent) {
    throw new AppError('forbidden', {
      message: `Turn on adult content in your account to buy ${game.name}.`,
    })
  }
  const account = await findSaleAccount(db, game)
  if ('fault' in account) throw notForSale(SALE_FAULTS[account.fault])
  const edition = await findEdition(db, game, input.edition_uid)
  const price = edition?.priceCents ?? game.priceCents
  await refuseOwned(db, user, game, edition?.uid ?? null)
  const amountCents = readAmount(price, game, input.amount_cents)
  return {
    edition: edition && { uid: edition.uid, name: edition.name },
    amountCents,
    accountId: account.accountId,
  }
}

async function findEdition(db: Db, game: GameRow, uid: string | undefined) {
  if (uid === undefined) return null
  const edition = await findEditionOf(db, game.uid, uid)
  if (!edition) throw invalidField('edition_uid', 'must be an edition of this listing.')
  if (!edition.active) throw notForSale(`The edition ${edition.name} is no longer sold.`)
  return edition
}

async function refuseOwned(
  db: Db,
  { userUid }: WebsiteUser,
  { uid, name }: GameRow,
  editionUid: string | null,
): Promise<void> {
  if (!(await holdsEdition(db, userUid, uid, editionUid))) return
  throw new AppError('already_owned', {
    message:
      editionUid === null
        ? `${name} is in your library already. Download it there.`
        : `You have this edition of ${name} already. Download it from your library.`,
  })
}

function readAmount(price: number, { payMore, name }: GameRow, sent: number | undefined): number {
  const amounts = amountsFor(price, payMore)
  if (!amounts) throw notForSale(`${name} is free. Add it to your library instead.`)
  if (price === 0 && sent === undefined)
    throw invalidField('amount_cents', `must be ${amounts.min} to ${amounts.max}: the listing is free.`)
  const amount = sent ?? amounts.min
  if (amount >= amounts.min && amount <= amounts.max) return amount
  throw invalidField(
    'amount_cents',
    amounts.min === amounts.max
      ? `must be ${price}, the price.`
      : `must be ${amounts.min} to ${amounts.max} US cents.`,
  )
}

function notForSale(message: string): AppError {
  return new AppError('not_for_sale', { message })
}
