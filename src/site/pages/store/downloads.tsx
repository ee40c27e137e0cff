import type { Listing, PublicFile } from '../../../features/catalog/pages/listing-model.ts'
import type { Visit } from '../../../http/visit.ts'
import { CheckIcon, DownloadIcon, SYSTEM_ICONS } from '../../components/icons.tsx'
import { bytesText, priceText, SYSTEM_LABELS } from '../../labels.ts'
import type { Standing } from './store-page.tsx'

interface DownloadsProps {
  visit: Visit
  listing: Listing
  standing: Standing
}

/** What one can do to get it: claim, sign in, or download, with the visitor's own system first. */
export function Downloads({ visit, listing, standing }: DownloadsProps) {
  const files = listing.files.toSorted((a, b) => Number(b.os === visit.os) - Number(a.os === visit.os))
  const mayDownload = standing.hasLicense || standing.role !== null || listing.anonymous_downloads
  return (
    <>
      {standing.hasLicense || standing.role !== null ? null : <Get visit={visit} listing={listing} />}
      {files.length === 0 ? (
        <p class="quiet">Nothing to download yet.</p>
      ) : (
        <ul class="downloads">
          {files.map((file, index) => (
            <li key={file.file_uid}>
              <Download listing={listing} file={file} isFirst={index === 0} mayDownload={mayDownload} />
            </li>
          ))}
        </ul>
      )}
      {standing.hasLicense ? <Beta listing={listing} isInBeta={standing.isInBeta} /> : null}
    </>
  )
}

function Get({ visit, listing }: { visit: Visit; listing: Listing }) {
  if (!listing.price.free) {
    return (
      <p class="quiet small">
        This store shows the price but does not take payments: ask the developer for a licence.
        {listing.editions.map(
          (edition) => ` ${edition.name}: ${priceText({ cents: edition.price_cents, free: false })}.`,
        )}
      </p>
    )
  }
  if (visit.actor.kind !== 'user') {
    return (
      <p class="small">
        <a href={`/sign-in?next=${encodeURIComponent(visit.url.pathname)}`}>Sign in</a> to keep it in your
        library.
      </p>
    )
  }
  return (
    <form method="post" action={`/games/${listing.vanity_name}/claim`}>
      <button class="button wide" type="submit">
        Get<span class="visually-hidden"> {listing.name}</span>
      </button>
    </form>
  )
}

interface DownloadProps {
  listing: Listing
  file: PublicFile
  isFirst: boolean
  mayDownload: boolean
}

function Download({ listing, file, isFirst, mayDownload }: DownloadProps) {
  const SystemIcon = SYSTEM_ICONS[file.os]
  const page = `/games/${listing.vanity_name}/files/${file.file_uid}`
  return (
    <div class="download">
      {mayDownload ? (
        <a class={isFirst ? 'button wide' : 'button second wide'} href={`${page}/download`} rel="nofollow">
          <DownloadIcon />
          <span>
            Download <span class="visually-hidden">{listing.name} </span>for {SYSTEM_LABELS[file.os]}
          </span>
        </a>
      ) : (
        <p class="row">
          <SystemIcon /> {SYSTEM_LABELS[file.os]}
        </p>
      )}
      <p class="quiet small row">
        <span>{file.version}</span>
        <span>{bytesText(file.size)}</span>
        <span>{file.arch}</span>
        <span class="badge good">
          <CheckIcon /> Scan {file.scan}
        </span>
      </p>
      <details class="small">
        <summary>Details</summary>
        <dl class="pairs">
          <dt>File</dt>
          <dd>{file.filename}</dd>
          <dt>SHA-256</dt>
          <dd>
            <code>{file.checksum}</code>
          </dd>
        </dl>
        <a href={page}>Where this file comes from</a>
      </details>
    </div>
  )
}

function Beta({ listing, isInBeta }: { listing: Listing; isInBeta: boolean }) {
  return (
    <form method="post" action={`/games/${listing.vanity_name}/beta`}>
      <input type="hidden" name="beta" value={isInBeta ? 'leave' : 'join'} />
      <button class="button plain" type="submit">
        {isInBeta ? 'Leave beta' : 'Join beta'}
      </button>
    </form>
  )
}
