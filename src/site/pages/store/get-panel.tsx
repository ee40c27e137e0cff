import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import type { Visit } from '../../../http/visit.ts'
import { ClockIcon, WarningIcon } from '../../components/icons.tsx'
import { priceText, SYSTEM_LABELS } from '../../labels.ts'
import { DownloadList } from './downloads.tsx'
import type { StoreData } from './standing.ts'

interface GetPanelProps {
  visit: Visit
  store: StoreData
  isAdultGated: boolean
}

/** The price and the ways to get the listing. */
export function GetPanel({ visit, store, isAdultGated }: GetPanelProps) {
  const { listing, standing, visibility, betaFiles } = store
  const isTheirs = standing.hasLicense || standing.role !== null
  const mayDownload = isTheirs || listing.anonymous_downloads
  return (
    <section class="panel stack" aria-label="Get it">
      <p class="row between">
        <span class="price-tag">{priceText(listing.price)}</span>
        {standing.hasLicense ? <span class="badge good">In your library</span> : null}
      </p>
      <Editions listing={listing} />
      {isAdultGated ? (
        <p class="quiet small">Downloads appear once you turn on adult content in your account.</p>
      ) : (
        <>
          {isTheirs || visibility !== 'public' ? null : <Get visit={visit} listing={listing} />}
          <Downloads store={store} visit={visit} mayDownload={mayDownload} />
          {betaFiles.length === 0 ? null : (
            <div class="stack">
              <h2 class="beta-title">Beta builds</h2>
              <DownloadList
                visit={visit}
                listing={listing}
                files={betaFiles}
                mayDownload
                isSecond
                linksDetails={standing.role !== null}
              />
            </div>
          )}
          {standing.hasLicense ? <Beta listing={listing} isInBeta={standing.isInBeta} /> : null}
        </>
      )}
    </section>
  )
}

function Editions({ listing }: { listing: Listing }) {
  if (listing.editions.length === 0) return null
  return (
    <ul class="editions small" aria-label="Editions">
      {listing.editions.map(({ uid, name, price_cents }) => (
        <li key={uid} class="row between">
          <span>{name}</span>
          <span>{priceText({ cents: price_cents, free: false })}</span>
        </li>
      ))}
    </ul>
  )
}

function Get({ visit, listing }: { visit: Visit; listing: Listing }) {
  const style = listing.anonymous_downloads && listing.files.length > 0 ? 'button second wide' : 'button wide'
  const label = (
    <>
      Get<span class="visually-hidden"> {listing.name}</span>
    </>
  )
  if (!listing.price.free) {
    return (
      <p class="quiet small">
        This store does not take payments: ask the developer for a licence. It then appears in your library.
      </p>
    )
  }
  if (visit.actor.kind !== 'user') {
    return (
      <>
        <a class={style} href={`/sign-in?next=${encodeURIComponent(visit.url.pathname)}`}>
          {label}
        </a>
        <p class="quiet small">
          Free. You sign in first, so that it stays in your library with your play time and updates.
        </p>
      </>
    )
  }
  return (
    <form method="post" action={`/games/${listing.vanity_name}/claim`}>
      <button class={style} type="submit">
        {label}
      </button>
    </form>
  )
}

function Downloads({ visit, store, mayDownload }: { visit: Visit; store: StoreData; mayDownload: boolean }) {
  const { listing, unscanned } = store
  const scanning = unscanned.filter(({ scan }) => scan === 'scanning')
  if (listing.files.length > 0 || scanning.length > 0) {
    return (
      <>
        {listing.files.length === 0 ? null : (
          <DownloadList {...{ visit, listing, mayDownload }} files={listing.files} linksDetails />
        )}
        {scanning.map(({ version, os }) => (
          <p key={version + os} class="state">
            <ClockIcon />
            <span>
              {version} for {SYSTEM_LABELS[os]} is being scanned for viruses. It can be downloaded in a few
              minutes.
            </span>
          </p>
        ))}
      </>
    )
  }
  if (unscanned.length > 0) {
    return (
      <p class="state">
        <WarningIcon /> The last upload did not pass the virus scan, so there is nothing to download.
      </p>
    )
  }
  return <p class="quiet">Nothing to download yet. The developer has not published a build.</p>
}

function Beta({ listing, isInBeta }: { listing: Listing; isInBeta: boolean }) {
  return (
    <form method="post" action={`/games/${listing.vanity_name}/beta`}>
      <input type="hidden" name="beta" value={isInBeta ? 'leave' : 'join'} />
      <button class="button plain" type="submit">
        {isInBeta ? 'Leave beta' : 'Join beta'}
      </button>
      <p class="quiet small">
        {isInBeta
          ? 'You see builds of the beta channel above as soon as there are any.'
          : 'Beta builds come earlier and break more often.'}
      </p>
    </form>
  )
}
