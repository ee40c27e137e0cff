import type { OperatorListing } from '../../features/operate/listings/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Badge } from '../components/badge.tsx'
import { Pager } from '../components/pager.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { countText, TYPE_LABELS } from '../kit/labels.ts'
import type { PageState } from '../kit/pages.ts'
import { Finder, OperateFrame } from './operate-frame.tsx'

interface ListingsPageProps {
  state: PageState
  listings: Paged<OperatorListing>
}

export function ListingsPage({ state, listings }: ListingsPageProps) {
  const { visit } = state
  return (
    <OperateFrame state={state} tab="/operate/listings">
      <Finder
        visit={visit}
        label="Find a listing or file"
        hint="A part of its name, the developer’s username, or the uid or SHA-256 of a file."
        only={{ name: 'taken_down', label: 'Only those taken down' }}
      />
      <p role="status">{countText(listings.total, 'listing')}</p>
      {listings.items.length === 0 ? (
        <div class="empty">
          <h2>Nothing found</h2>
          <p>
            Try a shorter part of the name, or <a href="/operate/listings">see all listings</a>.
          </p>
        </div>
      ) : (
        <ul class="records panel">
          {listings.items.map((listing) => (
            <li key={listing.uid}>
              <div>
                <strong>
                  <a href={`/operate/listings/${listing.uid}`}>{listing.name}</a>
                </strong>{' '}
                <ListingBadges listing={listing} />
                <p class="quiet small">
                  {TYPE_LABELS[listing.asset_type]} by{' '}
                  <a href={`/operate/accounts?q=${listing.owner.uid}`}>{listing.owner.username}</a>
                </p>
              </div>
              <TakeDownAct listing={listing} />
            </li>
          ))}
        </ul>
      )}
      <Pager {...listings} url={visit.url} />
    </OperateFrame>
  )
}

export function ListingBadges({ listing }: { listing: OperatorListing }) {
  const { taken_down, visibility, open_reports, owner } = listing
  return (
    <>
      {taken_down ? (
        <Badge tone="bad">taken down</Badge>
      ) : (
        <Badge tone={visibility === 'public' ? 'good' : 'none'}>{visibility}</Badge>
      )}{' '}
      {open_reports > 0 ? <Badge tone="warn">{countText(open_reports, 'report')}</Badge> : null}{' '}
      {owner.suspended ? <Badge tone="bad">owner suspended</Badge> : null}
    </>
  )
}

export function TakeDownAct({ listing: { uid, name, taken_down } }: { listing: OperatorListing }) {
  if (!taken_down) {
    return (
      <a class="button danger" href={`/operate/listings/${uid}/take-down`}>
        Take down<span class="visually-hidden"> {name}</span>
      </a>
    )
  }
  return (
    <PostForm action={`/operate/listings/${uid}/restore`} class="act">
      <Submit look="second">
        Undo take-down<span class="visually-hidden"> of {name}</span>
      </Submit>
    </PostForm>
  )
}
