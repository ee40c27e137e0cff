import type { TakeDown } from '../../../domain/listings/visibility.ts'
import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Notice } from '../../components/notice.tsx'
import { Prose } from '../../components/prose.tsx'
import type { Refused } from '../../kit/form-state.ts'
import { FaultSummary } from '../../kit/form.tsx'
import { TYPE_LABELS } from '../../kit/labels.ts'
import { Layout } from '../../kit/layout.tsx'
import { formOf } from '../../kit/pages.ts'
import type { StoreData } from '../store-data.ts'
import { Changelog } from './changelog.tsx'
import { Facts } from './facts.tsx'
import { Gallery } from './gallery.tsx'
import { GetPanel } from './get-panel.tsx'
import { Health } from './launch-health.tsx'
import { Links } from './links.tsx'
import { Modding } from './modding.tsx'
import { Neighbours } from './neighbours.tsx'
import { Reviews } from './reviews.tsx'
import { StoreHead } from './store-head.tsx'
import { Tags } from './tags.tsx'

interface StorePageProps {
  visit: Visit
  store: StoreData
  /** The result of the form that led to this page. */
  notice?: string | undefined
  /** A form of this page that was rejected. */
  refused?: Refused | undefined
  /** Whether it is the moment to ask for the confirmation of the e-mail address. */
  asksToConfirm?: boolean
}

export function StorePage({ visit, store, notice, refused, asksToConfirm = false }: StorePageProps) {
  const { listing, visibility, standing } = store
  const isAdultGated = listing.adult && !(visit.actor.kind === 'user' && visit.actor.adultContent)
  const isOpen = visibility === 'public' || visibility === 'invisible'
  return (
    <Layout
      visit={visit}
      title={listing.name}
      description={listing.tagline}
      canonical={listing.url}
      isIndexed={listing.indexable && visibility === 'public'}
      head={isOpen ? <StoreHead listing={listing} reviews={store.reviews} /> : null}
      scripts={['gallery']}
    >
      <div class="notices">
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {asksToConfirm ? <ConfirmAddress visit={visit} /> : null}
        <FaultSummary form={refused?.form} scope={refused?.name} />
        {store.takenDown ? <TakenDownNotice store={store} takenDown={store.takenDown} /> : null}
        {store.takenDown || (standing.role === null && isOpen) ? null : (
          <MakerNotice store={store} isOpen={isOpen} />
        )}
      </div>
      <article class="store">
        <StoreTop listing={listing} />
        <div class="store-pictures">
          {isAdultGated ? <AdultGate visit={visit} listing={listing} /> : <Gallery listing={listing} />}
        </div>
        <div class="store-side">
          <GetPanel {...{ visit, store, isAdultGated }} buyForm={formOf({ refused }, 'buy')} />
          <div class="panel facts-panel">
            <Health listing={listing} platforms={store.health} />
            <Facts listing={listing} />
            <Tags visit={visit} store={store} form={formOf({ refused }, 'tags')} />
            <Links listing={listing} isOpen={isOpen} takesBugs={store.takesBugs} />
          </div>
        </div>
        <div class="store-main">
          <section aria-labelledby="about">
            <h2 id="about">About</h2>
            {listing.description_html === '' ? (
              <p class="quiet">The developer has not described it yet.</p>
            ) : (
              <Prose html={listing.description_html} under={2} />
            )}
          </section>
          <Modding listing={listing} />
          <Changelog listing={listing} />
          <Reviews visit={visit} store={store} form={formOf({ refused }, 'review')} />
        </div>
        <Neighbours store={store} />
      </article>
    </Layout>
  )
}

/** Who has a game will want to review it, which needs a confirmed address. */
function ConfirmAddress({ visit: { actor } }: { visit: Visit }) {
  if (actor.kind !== 'user' || actor.emailVerified) return null
  return (
    <Notice tone="info">
      <strong>Confirm your address.</strong> We sent a link to {actor.email}: open it to write reviews and to
      be sure that you can always get back in. <a href="/verify">Nothing arrived?</a>
    </Notice>
  )
}

function StoreTop({ listing }: { listing: Listing }) {
  const { parent } = listing
  return (
    <header class="store-top">
      <p class="quiet small">
        {TYPE_LABELS[listing.asset_type]}{' '}
        {parent === null ? null : (
          <>
            for{' '}
            {'game' in parent ? (
              <a href={`/games/${parent.vanity_name}`}>{parent.name}</a>
            ) : (
              <a href={parent.external_url} rel="nofollow noopener">
                {parent.external_name}
              </a>
            )}{' '}
          </>
        )}
        by <a href={`/developers/${listing.developer.username}`}>{listing.developer.username}</a>
      </p>
      <h1>{listing.name}</h1>
      <p class="lead">{listing.tagline}</p>
    </header>
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

function TakenDownNotice({ store, takenDown }: { store: StoreData; takenDown: TakeDown }) {
  return (
    <Notice tone="bad">
      <strong>The operators of this store took this page down.</strong> Their reason: {takenDown.reason}{' '}
      {store.standing.role === 'owner' ? (
        'Only you and they can open it, and it cannot be published until they restore it. To object, answer their mail.'
      ) : (
        <a href={`/operate/listings/${store.listing.uid}`}>Open it for operators</a>
      )}
    </Notice>
  )
}

function AdultGate({ visit, listing }: { visit: Visit; listing: Listing }) {
  const warnings = listing.taxonomy.content_warnings.join(', ').replaceAll('_', ' ')
  const next = encodeURIComponent('/account')
  return (
    <Notice tone="warn">
      <strong>This page is for adults.</strong>
      {warnings === '' ? '' : ` It contains: ${warnings}.`} To see pictures and download it,{' '}
      {visit.actor.kind === 'user' ? (
        <>
          turn on <a href="/account">Show adult content</a> in your account.
        </>
      ) : (
        <>
          <a href={`/sign-in?next=${next}`}>sign in</a> and turn on “Show adult content” in your account.
        </>
      )}
    </Notice>
  )
}
