import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { Badge } from '../../components/badge.tsx'
import { InstallCommand } from '../../components/copy-block.tsx'
import { ClockIcon, PlayIcon, WarningIcon } from '../../components/icons.tsx'
import { isMain, otherAppText } from '../../kit/apps.ts'
import type { FormState } from '../../kit/form-state.ts'
import { Submit } from '../../kit/form.tsx'
import { bytesText, priceText, SYSTEM_LABELS } from '../../kit/labels.ts'
import { getPath } from '../../kit/next.ts'
import { DownloadList, OtherApps } from '../files/download-list.tsx'
import type { StoreData } from '../store-data.ts'
import { BuyPanel } from './buy-panel.tsx'
import { Elsewhere } from './facts.tsx'

interface GetPanelProps {
  visit: Visit
  store: StoreData
  isAdultGated: boolean
  /** The form that buys it, if it was rejected. */
  buyForm: FormState
}

/** The price and the ways to get the listing. */
export function GetPanel({ visit, store, isAdultGated, buyForm }: GetPanelProps) {
  const { listing, standing, visibility, betaFiles } = store
  const isOpen = visibility === 'public' || visibility === 'invisible'
  const isTheirs = standing.hasLicense || standing.role !== null
  const mayDownload = isTheirs || listing.anonymous_downloads
  const linksDetails = standing.role !== null
  const beta = { visit, listing, files: betaFiles, mayDownload: true, linksDetails }
  // For people who have the game the downloads come first, then further editions.
  const buy = <BuyPanel {...{ visit, store, form: buyForm }} />
  return (
    <section class="panel stack" aria-labelledby="get">
      <div class="row between">
        <h2 class="visually-hidden" id="get">
          Get it
        </h2>
        <span class="price-tag">{priceText(listing.price)}</span>
        {standing.hasLicense ? <Badge tone="good">In your library</Badge> : null}
      </div>
      {store.sale === null ? <Editions listing={listing} /> : null}
      {isAdultGated ? (
        <p class="quiet small">Downloads appear once you turn on adult content in your account.</p>
      ) : (
        <>
          <Play listing={listing} mayPlay={isTheirs || listing.price.free} />
          {isTheirs || !isOpen ? null : <Get visit={visit} store={store} />}
          {isTheirs ? null : buy}
          <Downloads store={store} visit={visit} mayDownload={mayDownload} />
          {isTheirs ? buy : null}
          {listing.files.length === 0 ? null : (
            <InstallCommand id="install" name={listing.name} url={listing.url} hasSetup />
          )}
          {betaFiles.length === 0 ? null : (
            <div class="stack">
              <h2 class="list-title">Beta builds</h2>
              <DownloadList {...beta} files={betaFiles.filter(isMain)} isSecond />
              <OtherApps {...beta} level={3} />
            </div>
          )}
          {standing.hasLicense ? <Beta listing={listing} isInBeta={standing.isInBeta} /> : null}
        </>
      )}
    </section>
  )
}

function Play({ listing, mayPlay }: { listing: Listing; mayPlay: boolean }) {
  const { web_player, vanity_name, name } = listing
  if (web_player === null) return null
  if (!mayPlay) return <p class="quiet small">It is played in the browser once it is in your library.</p>
  return (
    <div class="download">
      <a class="button wide" href={`/games/${vanity_name}/play`}>
        <PlayIcon />
        Play<span class="visually-hidden"> {name}</span>
      </a>
      <p class="quiet small row">
        <span>In the browser</span>
        <span>{web_player.version}</span>
        <span>{bytesText(web_player.bytes)}</span>
        {web_player.mobile ? null : <span>Not made for phones</span>}
      </p>
    </div>
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

function Get({ visit, store: { listing, sale } }: { visit: Visit; store: StoreData }) {
  const isSecond = listing.web_player !== null || (listing.anonymous_downloads && listing.files.some(isMain))
  const style = isSecond ? 'button second wide' : 'button wide'
  if (!listing.price.free) {
    if (sale !== null) return null
    return <Elsewhere listing={listing}>This store does not take payments.</Elsewhere>
  }
  if (visit.actor.kind !== 'user') {
    return (
      <>
        <GetForm path={getPath(listing.vanity_name)} style={style} name={listing.name} />
        <p class="quiet small">
          Free. You sign in first, so that it stays in your library with your play time and updates.
        </p>
      </>
    )
  }
  return <GetForm path={`/games/${listing.vanity_name}/claim`} style={style} name={listing.name} />
}

function GetForm({ path, style, name }: { path: string; style: string; name: string }) {
  return (
    <form method="post" action={path}>
      <button class={style} type="submit">
        Get<span class="visually-hidden"> {name}</span>
      </button>
    </form>
  )
}

interface DownloadsProps {
  visit: Visit
  store: StoreData
  mayDownload: boolean
}

function Downloads({ visit, store, mayDownload }: DownloadsProps) {
  const { listing, unscanned } = store
  const files = { visit, listing, files: listing.files, mayDownload, linksDetails: true }
  return (
    <>
      <GameDownloads {...{ visit, store, mayDownload }} />
      {unscanned
        .filter(({ scan }) => scan === 'scanning')
        .map(({ version, os, app, appName }) => (
          <p key={app + version + os} class="state">
            <ClockIcon />
            <span>
              {otherAppText({ app, app_name: appName })} {version} for {SYSTEM_LABELS[os]} is being scanned.
              It can be downloaded in a few minutes.
            </span>
          </p>
        ))}
      <OtherApps {...files} level={2} />
    </>
  )
}

function GameDownloads({ visit, store, mayDownload }: DownloadsProps) {
  const { listing } = store
  const files = listing.files.filter(isMain)
  if (files.length > 0) {
    const isSecond = listing.web_player !== null
    return <DownloadList {...{ visit, listing, files, mayDownload, isSecond }} linksDetails />
  }
  const unscanned = store.unscanned.filter(isMain)
  if (unscanned.some(({ scan }) => scan === 'scanning')) return null
  if (unscanned.length > 0) {
    return (
      <p class="state">
        <WarningIcon /> The last upload did not pass the scan, so there is nothing to download.
      </p>
    )
  }
  return <p class="quiet">Nothing to download yet. The developer has not published a build.</p>
}

function Beta({ listing, isInBeta }: { listing: Listing; isInBeta: boolean }) {
  return (
    <form method="post" action={`/games/${listing.vanity_name}/beta`}>
      <input type="hidden" name="beta" value={isInBeta ? 'leave' : 'join'} />
      <Submit look="plain">{isInBeta ? 'Leave beta' : 'Join beta'}</Submit>
      <p class="quiet small">
        {isInBeta
          ? 'You see builds of the beta channel above as soon as there are any.'
          : 'Beta builds come earlier and break more often.'}
      </p>
    </form>
  )
}
