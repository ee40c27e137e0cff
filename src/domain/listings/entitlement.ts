import { AppError } from '../../errors.ts'
import { BETA, STABLE } from '../builds/channels.ts'
import { listingUrl } from '../site-urls.ts'
import { OPEN_VISIBILITIES, type Visibility } from './visibility.ts'

export interface HeldLicense {
  /** Whether it was bought or redeemed; such a licence stays valid when the page is hidden. */
  isPaid: boolean
  beta: boolean
  /** A gift that its holder has not accepted. */
  pending: boolean
}

/** Everything that decides whether somebody may have the files of a listing: download, install or play them. */
export interface EntitlementFacts {
  visibility: Visibility
  /** Nobody may have them, for example after a take-down. */
  isBlocked: boolean
  adult: boolean
  /** Who may have stable files without a licence. */
  freeFor: 'everyone' | 'accounts' | 'nobody'
  /** Null for a visitor without an account. */
  person: {
    /** The owner or an accepted admin. */
    isMaker: boolean
    adultContent: boolean
    license: HeldLicense | null
  } | null
  /** Set for the version of a jam: whether this person may have it without a licence. */
  jam?: { isOpen: boolean } | null
}

/** What is missing: the listing itself, an opt-in, an account, an accepted gift, a licence, or the beta. */
type Refusal = 'missing' | 'blocked' | 'adult' | 'account' | 'pending' | 'license' | 'beta'

/** The only rule for the files of a listing. Returns null if this person may have those of the channel. */
export function entitlement(facts: EntitlementFacts, channel: string): Refusal | null {
  const refusal = findRefusal(facts, channel)
  return facts.jam && !facts.isBlocked && refusal !== null ? findJamRefusal(facts, facts.jam) : refusal
}

/** The version of a jam is open to its voters whatever the visibility of the listing and its channels. */
function findJamRefusal(
  { adult, person }: EntitlementFacts,
  { isOpen }: { isOpen: boolean },
): Refusal | null {
  if (adult && !person?.adultContent) return 'adult'
  if (isOpen) return null
  return person ? 'license' : 'account'
}

function findRefusal(facts: EntitlementFacts, channel: string): Refusal | null {
  const { person, freeFor } = facts
  if (facts.isBlocked) return person?.isMaker ? 'blocked' : 'missing'
  if (person?.isMaker) return null
  const license = person?.license ?? null
  const held = license?.pending ? null : license
  if (!isOpen(facts.visibility) && !held?.isPaid) return 'missing'
  if (channel !== STABLE && channel !== BETA) return 'missing'
  if (facts.adult && !person?.adultContent) return 'adult'
  if (channel === BETA) return held?.beta ? null : 'beta'
  if (held || freeFor === 'everyone' || (freeFor === 'accounts' && person)) return null
  if (!person) return 'account'
  return license ? 'pending' : 'license'
}

function isOpen(visibility: Visibility): boolean {
  return OPEN_VISIBILITIES.some((open) => open === visibility)
}

interface RefusedListing {
  name: string
  vanityName: string
  priceCents: number
}

interface Refused extends RefusedListing {
  isPaid: boolean
  verb: 'download' | 'play'
  person: EntitlementFacts['person']
}

type Told = [kind: 'sign_in_to_download' | 'buy_to_download' | 'forbidden', message: string]

/** What to do about each refusal; null where the listing is reported as not found. */
const TOLD: Readonly<Record<Refusal, (refused: Refused) => Told | null>> = {
  missing: () => null,
  blocked: ({ name }) => ['forbidden', `The operators of this store took ${name} down.`],
  adult: ({ name, verb, person }) =>
    person
      ? ['forbidden', adultMessage(`${verb} ${name}`)]
      : ['sign_in_to_download', `Sign in to ${verb} ${name}.`],
  account: ({ name, verb, isPaid }) => [
    'sign_in_to_download',
    isPaid ? `Sign in and buy ${name} to ${verb} it.` : `Sign in to ${verb} ${name}.`,
  ],
  pending: ({ name }) => ['forbidden', `${name} was given to you. Accept it in your library first.`],
  license: ({ name, verb, isPaid }) =>
    isPaid
      ? ['buy_to_download', `Buy ${name} to ${verb} it.`]
      : ['forbidden', `Add ${name} to your library first.`],
  beta: (refused) =>
    refused.person
      ? ['forbidden', describeBeta(refused, refused.person.license)]
      : ['sign_in_to_download', `Sign in and join the beta of ${refused.name} to ${refused.verb} it.`],
}

/** The error of a refusal, with the page where the reader can get the right. */
export function refusalError(
  refusal: Refusal,
  listing: RefusedListing,
  { person }: Pick<EntitlementFacts, 'person'>,
  { verb, baseUrl }: { verb: 'download' | 'play'; baseUrl: string },
): AppError {
  const { vanityName, priceCents } = listing
  // Visitors are told that they need an account; all other refusals of a download are reported as not found.
  // The play page says what to do.
  const isUnsaid = !person && verb === 'download' && refusal !== 'account'
  const told = isUnsaid ? null : TOLD[refusal]({ ...listing, person, verb, isPaid: priceCents > 0 })
  if (told === null) return new AppError('not_found')
  const [kind, message] = told
  const data = { browse_url: listingUrl(baseUrl, vanityName), price_cents: priceCents }
  return new AppError(kind, { message, data })
}

export function adultMessage(aim: string): string {
  return `Turn on adult content in your account to ${aim}.`
}

/** What the player has to do for a file of the beta. */
function describeBeta({ name, isPaid }: Refused, license: HeldLicense | null): string {
  if (license && !license.pending) return `Join the beta of ${name} first.`
  return isPaid
    ? `This file is part of the beta of ${name}. Buy ${name}, then join the beta.`
    : `This file is part of the beta of ${name}. Add ${name} to your library, then join the beta.`
}
