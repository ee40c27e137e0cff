import type { ListingWithFiles, OperatorFile } from '../../features/operate/listings/model.ts'
import { ScanBadge } from '../components/badge.tsx'
import { Notice } from '../components/notice.tsx'
import { otherAppText } from '../kit/apps.ts'
import { Moment } from '../kit/dates.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { bytesText, SYSTEM_LABELS, TYPE_LABELS } from '../kit/labels.ts'
import type { PageState } from '../kit/pages.ts'
import { ListingBadges, TakeDownAct } from './listings-page.tsx'
import { OperateFrame } from './operate-frame.tsx'

const NOTICES = {
  'taken-down': 'The page is taken down, and its owner is mailed the reason.',
  restored: 'The page is back as it was.',
  rescan: 'The file is being scanned again; until then it cannot be downloaded.',
}

interface ListingPageProps {
  state: PageState
  listing: ListingWithFiles
}

export function ListingPage({ state, listing }: ListingPageProps) {
  const { taken_down, owner, vanity_name } = listing
  const isShown = taken_down !== null || listing.visibility === 'public' || listing.visibility === 'invisible'
  return (
    <OperateFrame state={state} tab="/operate/listings" title={listing.name} notices={NOTICES}>
      <div class="operate-head">
        <div>
          <p class="quiet">
            {TYPE_LABELS[listing.asset_type]} by{' '}
            <a href={`/operate/accounts?q=${owner.uid}`}>{owner.username}</a>, made{' '}
            <Moment at={listing.created_at} />
          </p>
          <p class="chips">
            <ListingBadges listing={listing} />
          </p>
        </div>
        <div class="act">
          {isShown ? (
            <a class="button second" href={`/games/${vanity_name}`}>
              Open the page
            </a>
          ) : null}
          <TakeDownAct listing={listing} />
        </div>
      </div>
      {taken_down === null ? null : (
        <Notice tone="warn">
          Taken down <Moment at={taken_down.at} />. The owner reads: “{taken_down.reason}” Undoing it makes
          the page {taken_down.visibility} again.
        </Notice>
      )}
      <section class="panel" aria-labelledby="files">
        <h2 id="files">Files</h2>
        {listing.files.length === 0 ? (
          <p class="quiet">Nothing was uploaded yet.</p>
        ) : (
          <ul class="records">
            {listing.files.map((file) => (
              <File key={file.uid} file={file} listingUid={listing.uid} />
            ))}
          </ul>
        )}
      </section>
    </OperateFrame>
  )
}

function File({ file, listingUid }: { file: OperatorFile; listingUid: string }) {
  const { uid, filename, version, os, arch, size, scan, scan_engine, scan_detail, checksum, uploaded_at } =
    file
  const isStored = scan === 'clean' || scan === 'scanning'
  return (
    <li>
      <div>
        <strong>{filename}</strong> <ScanBadge scan={scan} engine={scan_engine} />
        <p class="quiet small">
          {otherAppText(file)} {version} for {SYSTEM_LABELS[os]} {arch}, {bytesText(size)}, uploaded{' '}
          <Moment at={uploaded_at} />
        </p>
        {scan_detail === null ? null : <p class="small">{scan_detail}</p>}
        <details class="small">
          <summary>
            SHA-256<span class="visually-hidden"> of {filename}</span>
          </summary>
          <code>{checksum}</code>
        </details>
      </div>
      {isStored ? (
        <PostForm action={`/operate/files/${uid}/rescan`} class="act">
          <input type="hidden" name="listing" value={listingUid} />
          <Submit look="second">
            Rescan
            <span class="visually-hidden">
              {' '}
              {filename} {version}
            </span>
          </Submit>
        </PostForm>
      ) : (
        <span class="quiet small">deleted after its scan</span>
      )}
    </li>
  )
}
