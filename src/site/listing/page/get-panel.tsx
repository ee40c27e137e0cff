import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { entryPath, jamPath } from '../../../domain/site-urls.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { InstallCommand } from '../../components/copy-block.tsx'
import { ClockIcon, PlayIcon, WarningIcon } from '../../components/icons.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { Submit } from '../../kit/form.tsx'
import { bytesText, HealthBadge, isMain, otherAppText, priceText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { getPath } from '../../kit/next.ts'
import { DownloadButton, DownloadDetails, DownloadList, OtherApps } from '../files/download-list.tsx'
import type { StoreData } from '../store-data.ts'
import { BuyButton, BuyPanel } from './buy-panel.tsx'
import { type Choice, chooseFor } from './choice.ts'

interface GetPanelProps {
  visit: Visit
  store: StoreData
  isAdultGated: boolean
  /** The form that buys it, if it was rejected. */
  buyForm: FormState
}

/** The price, one button for this device, and everything else folded. */
export function GetPanel({ visit, store, isAdultGated, buyForm }: GetPanelProps) {
  const { listing, standing, visibility, betaFiles } = store
  const isOpen = visibility === 'public' || visibility === 'invisible'
  const isTheirs = standing.hasLicense || standing.role !== null
  const mayDownload = isTheirs || listing.anonymous_downloads
  const linksDetails = standing.role !== null
  const choice = chooseFor(listing, { os: visit.os, isTheirs, mayDownload, isOpen })
  const beta = { visit, listing, files: betaFiles, mayDownload: true, linksDetails }
  return (
    <section class="panel box" aria-labelledby="get">
      <h2 class="visually-hidden" id="get">
        Get it
      </h2>
      {isAdultGated ? (
        <>
          <Price store={store} />
          <p class="quiet small">Downloads appear once you turn on adult content in your account.</p>
        </>
      ) : (
        <>
          <Lead {...{ visit, store, choice, buyForm }} />
          <BuildLine {...{ store, choice, mayDownload }} />
          {choice.action === 'buy' && listing.web_player !== null ? (
            <p class="quiet small">It is played in the browser once it is in your library.</p>
          ) : null}
          {choice.canAlsoGet ? <Get {...{ visit, listing }} isSecond /> : null}
          {choice.action === 'get' || choice.canAlsoGet ? <GetHint visit={visit} /> : null}
          <BuyPanel {...{ visit, store, form: buyForm }} isLed={isLedByBuying(store, choice)} />
          {store.sale === null ? <Editions listing={listing} /> : null}
          <States store={store} />
          <OtherSystems {...{ visit, store, choice, mayDownload }} />
          <OtherApps {...{ visit, listing, mayDownload, files: listing.files }} linksDetails level={2} />
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
          <Jams store={store} />
          {standing.hasLicense ? <Beta listing={listing} isInBeta={standing.isInBeta} /> : null}
        </>
      )}
    </section>
  )
}

interface LeadProps {
  visit: Visit
  store: StoreData
  choice: Choice
  buyForm: FormState
}

/** On phones it stays at the bottom of the window; a form with fields stays in the box, and a link leads to it. */
function Lead({ visit, store, choice, buyForm }: LeadProps) {
  const { listing } = store
  const { action, warning } = choice
  const canBuy = action !== 'buy' || store.sale?.isForSale === true
  return (
    <div class={action !== null && canBuy ? 'box-lead is-bar' : 'box-lead'}>
      <Price store={store} />
      {warning === null ? null : (
        <p class="box-warning">
          <WarningIcon />
          <span>
            Not for {warning.lacking}. <span>Runs on {warning.runsOn}.</span>
          </span>
        </p>
      )}
      {action === 'play' ? (
        <a class="button wide" href={`/games/${listing.vanity_name}/play`}>
          <PlayIcon />
          <span>
            Play<span class="visually-hidden"> {listing.name}</span>
            <span class="box-only"> in the browser</span>
          </span>
        </a>
      ) : null}
      {action === 'download' && choice.file ? (
        <DownloadButton listing={listing} file={choice.file} isFirst />
      ) : null}
      {action === 'get' ? <Get {...{ visit, listing }} /> : null}
      {isLedByBuying(store, choice) ? <BuyButton {...{ visit, store, form: buyForm }} /> : null}
      {action === 'buy' && canBuy && !isLedByBuying(store, choice) ? (
        <a class="button wide bar-only" href="#offers">
          Buy
        </a>
      ) : null}
    </div>
  )
}

/** Whether the button of the box buys: with a choice of editions or amounts there is more to fill in. */
function isLedByBuying({ listing, sale }: StoreData, { action }: Choice): boolean {
  return action === 'buy' && sale?.isForSale === true && listing.editions.length === 0 && !listing.pay_more
}

/** What it costs matters only to those who do not have it. */
function Price({ store: { listing, standing } }: { store: StoreData }) {
  return (
    <p class="box-price">
      <span class="price-tag">{standing.hasLicense ? 'In your library' : priceText(listing.price)}</span>
    </p>
  )
}

interface BuildLineProps {
  store: StoreData
  choice: Choice
  mayDownload: boolean
}

/** Version, size and health of what runs on this device. */
function BuildLine({ store: { listing, health }, choice: { action, file }, mayDownload }: BuildLineProps) {
  const { web_player } = listing
  if (action === 'play' && web_player) {
    return (
      <p class="quiet small row build-line">
        <span>
          {web_player.version} · {bytesText(web_player.bytes)}
        </span>
        <HealthBadge band={bandOf(health, 'web') ?? listing.health.band} />
      </p>
    )
  }
  if (file === null) return null
  return (
    <div class="build-line">
      <p class="quiet small row">
        <span>
          {action === 'download' ? '' : `${SYSTEM_LABELS[file.os]} `}
          {file.version} · {bytesText(file.size)}
        </span>
        <HealthBadge band={bandOf(health, file.os, file.arch) ?? listing.health.band} />
      </p>
      <DownloadDetails {...{ listing, file, mayDownload }} linksDetails />
    </div>
  )
}

function bandOf(health: StoreData['health'], os: OperatingSystem, arch?: string) {
  return health.find((known) => known.os === os && (arch === undefined || known.arch === arch))?.band
}

interface OtherSystemsProps {
  visit: Visit
  store: StoreData
  choice: Choice
  mayDownload: boolean
}

/** Folded, unless there is nothing for this device. */
function OtherSystems({ visit, store, choice: { others, action }, mayDownload }: OtherSystemsProps) {
  if (others.length === 0) return null
  const names = [...new Set(others.map(({ os }) => SYSTEM_LABELS[os]))].join(', ')
  return (
    <details class="small other-systems" open={action === null}>
      <summary>
        Other systems <span class="quiet">{names}</span>
      </summary>
      <DownloadList
        {...{ visit, listing: store.listing, files: others, mayDownload }}
        linksDetails
        isSecond
      />
    </details>
  )
}

/** Builds that cannot be downloaded yet, or not at all. */
function States({ store: { listing, unscanned } }: { store: StoreData }) {
  const scanning = unscanned.filter(({ scan }) => scan === 'scanning')
  const isEmpty = !listing.files.some(isMain) && !scanning.some(isMain)
  return (
    <>
      {!isEmpty ? null : unscanned.some(isMain) ? (
        <p class="state">
          <WarningIcon /> The last upload did not pass the scan, so there is nothing to download.
        </p>
      ) : (
        <p class="quiet">Nothing to download yet. The developer has not published a build.</p>
      )}
      {scanning.map(({ version, os, app, appName }) => (
        <p key={app + version + os} class="state">
          <ClockIcon />
          <span>
            {otherAppText({ app, app_name: appName })} {version} for {SYSTEM_LABELS[os]} is being scanned. It
            can be downloaded in a few minutes.
          </span>
        </p>
      ))}
    </>
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

interface GetProps {
  visit: Visit
  listing: Listing
  isSecond?: boolean
}

function Get({ visit, listing, isSecond = false }: GetProps) {
  const { vanity_name, name } = listing
  const path = visit.actor.kind === 'user' ? `/games/${vanity_name}/claim` : getPath(vanity_name)
  return (
    <form method="post" action={path}>
      <button class={isSecond ? 'button second wide' : 'button wide'} type="submit">
        Get<span class="visually-hidden"> {name}</span>
      </button>
    </form>
  )
}

function GetHint({ visit }: { visit: Visit }) {
  if (visit.actor.kind === 'user') return null
  return (
    <p class="quiet small">
      Free. You sign in first, so that it stays in your library with your play time and updates.
    </p>
  )
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

/** The jams of a listing, each with the version that people play there. */
function Jams({ store: { jams, listing } }: { store: StoreData }) {
  if (jams.length === 0) return null
  return (
    <ul class="small jam-lines" aria-label="Jams">
      {jams.map(({ slug, title, versions }) => (
        <li key={slug}>
          Entered in{' '}
          <a href={jamPath(slug)} dir="auto">
            {title}
          </a>
          {versions.length === 0 ? null : (
            <>
              {' '}
              <a class="quiet" href={entryPath(slug, listing.vanity_name)}>
                with version {versions.join(', ')}
              </a>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
