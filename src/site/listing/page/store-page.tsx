import { findTextLanguage } from '../../../domain/listings/languages.ts'
import type { TakeDown } from '../../../domain/listings/visibility.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { isEmail } from '../../../lib/text/names.ts'
import { Notice } from '../../components/notice.tsx'
import { Prose } from '../../components/prose.tsx'
import type { Refused } from '../../kit/form-state.ts'
import { FaultSummary } from '../../kit/form.tsx'
import { adultChoicePath } from '../../kit/next.ts'
import { formOf } from '../../kit/pages.ts'
import type { StoreData } from '../store-data.ts'
import { Changelog } from './changelog.tsx'
import { Facts, Health, Links, Making, Modding } from './facts.tsx'
import { MediaRail } from './media-rail.tsx'
import { Neighbours } from './neighbours.tsx'
import { PlayFacts } from './play-facts.tsx'
import { Posts } from './posts.tsx'
import { Reviews, Tags } from './reviews.tsx'
import { isGated, StoreFrame } from './store-frame.tsx'

interface StorePageProps {
  visit: Visit
  store: StoreData
  /** The result of the form that led to this page. */
  notice?: string | undefined
  /** A form of this page that was rejected. */
  refused?: Refused | undefined
  /** Whether to ask for the confirmation of the e-mail address now. */
  asksToConfirm?: boolean
}

export function StorePage({ visit, store, notice, refused, asksToConfirm = false }: StorePageProps) {
  const { listing, visibility, standing } = store
  const isAdultGated = isGated(visit, listing)
  const isOpen = visibility === 'public' || visibility === 'invisible'
  return (
    <StoreFrame
      {...{ visit, store, refused }}
      tab="about"
      canonical={listing.url}
      notices={
        <>
          {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
          {asksToConfirm ? <ConfirmAddress visit={visit} /> : null}
          <FaultSummary form={refused?.form} scope={refused?.name} />
          {store.takenDown ? <TakenDownNotice {...{ visit, store }} takenDown={store.takenDown} /> : null}
          {store.takenDown || (standing.role === null && isOpen) ? null : (
            <MakerNotice store={store} isOpen={isOpen} />
          )}
        </>
      }
      media={isAdultGated ? <AdultGate visit={visit} listing={listing} /> : <MediaRail listing={listing} />}
      facts={<Facts listing={listing} place="beside" />}
      below={
        <>
          <section class="facts-band" aria-labelledby="in-detail">
            <h2 class="visually-hidden" id="in-detail">
              In detail
            </h2>
            <div class="facts-columns">
              <PlayFacts listing={listing} />
              <Health listing={listing} platforms={store.health} />
              <Tags visit={visit} store={store} form={formOf({ refused }, 'tags')} />
              <Making listing={listing} />
              <Links listing={listing} isOpen={isOpen} acceptsBugReports={store.acceptsBugReports} />
            </div>
          </section>
          <Neighbours store={store} />
        </>
      }
    >
      <section aria-labelledby="about">
        <h2 class="visually-hidden" id="about">
          About
        </h2>
        {listing.description_html === '' ? (
          <p class="quiet">The developer has not described it yet.</p>
        ) : (
          <Prose
            html={listing.description_html}
            under={2}
            lang={findTextLanguage(listing.languages, listing.description_html)}
          />
        )}
      </section>
      <Facts listing={listing} place="below" />
      <Modding listing={listing} />
      <Posts posts={store.posts} vanityName={listing.vanity_name} isAdultGated={isAdultGated} />
      <Changelog listing={listing} />
      <Reviews visit={visit} store={store} form={formOf({ refused }, 'review')} />
    </StoreFrame>
  )
}

/** Reviews need a confirmed address, so people who just got a game are asked to confirm theirs. */
function ConfirmAddress({ visit: { actor } }: { visit: Visit }) {
  if (actor.kind !== 'user' || actor.emailVerified) return null
  return (
    <Notice tone="info">
      <strong>Confirm your address.</strong> We sent a link to {actor.email}: open it to write reviews and to
      be sure that you can always get back in. <a href="/verify">Nothing arrived?</a>
    </Notice>
  )
}

const SEEN_BY = {
  draft: 'This page is a draft: only you and the admins of the project can open it.',
  owner: 'This page is private: only its owner can open it.',
  invisible: 'This page is unlisted: anyone with the link can open it, and no search shows it.',
  public: 'You work on this listing.',
} as const

function MakerNotice({ store, isOpen }: { store: StoreData; isOpen: boolean }) {
  return (
    <Notice tone={isOpen ? 'info' : 'warn'}>
      {SEEN_BY[store.visibility]}{' '}
      <a href={`/studio/${store.listing.vanity_name}/overview`}>Open it in the studio</a>
    </Notice>
  )
}

interface TakenDownProps {
  visit: Visit
  store: StoreData
  takenDown: TakeDown
}

function TakenDownNotice({ visit, store, takenDown }: TakenDownProps) {
  return (
    <Notice tone="bad">
      <strong>The operators of this store took this page down.</strong> Their reason:{' '}
      <bdi>{takenDown.reason}</bdi>{' '}
      {store.standing.role === 'owner' ? (
        <>
          Only you and they can open it, and it cannot be published until they restore it.{' '}
          <Objection contact={visit.store.settings.contact} />
        </>
      ) : (
        <a href={`/operate/listings/${store.listing.uid}`}>Open it for operators</a>
      )}
    </Notice>
  )
}

/** How to reach the operators, in the words of their mail: answers arrive only at an e-mail address. */
function Objection({ contact }: { contact: string | null }) {
  if (contact === null) return null
  if (isEmail(contact)) return <>To object, answer their mail.</>
  return (
    <>
      To object, write to them at{' '}
      <a href={contact} rel="noopener">
        {contact}
      </a>
      .
    </>
  )
}

function AdultGate({ visit, listing }: { visit: Visit; listing: Listing }) {
  const warnings = listing.taxonomy.content_warnings.join(', ').replaceAll('_', ' ')
  const isSignedIn = visit.actor.kind === 'user'
  const path = adultChoicePath(visit.url.pathname, isSignedIn)
  return (
    <Notice tone="warn">
      <strong>This page is for adults.</strong>
      {warnings === '' ? '' : ` It contains: ${warnings}.`} To see pictures and download it,{' '}
      {isSignedIn ? (
        <>
          turn on <a href={path}>Show adult content</a> in your account.
        </>
      ) : (
        <>
          <a href={path}>sign in</a> and turn on “Show adult content” in your account.
        </>
      )}
    </Notice>
  )
}
