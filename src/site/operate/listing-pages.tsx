import type {
  ListingWithFiles,
  OperatorFile,
  OperatorListing,
} from '../../features/operate/moderation/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { Notice } from '../components/notice.tsx'
import { PersonName } from '../components/person.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import {
  Badge,
  bytesText,
  countText,
  Moment,
  otherAppText,
  ScanBadge,
  SYSTEM_LABELS,
  TYPE_LABELS,
  VISIBILITY_LABELS,
} from '../kit/labels.tsx'
import type { PageProps } from '../kit/pages.ts'
import { Finder, OperateFrame } from './operate-frame.tsx'

export function ListingsPage({ state, listings }: PageProps<{ listings: Paged<OperatorListing> }>) {
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
        <Empty title="Nothing found">
          Try a shorter part of the name, or <a href="/operate/listings">see all listings</a>.
        </Empty>
      ) : (
        <ul class="records panel">
          {listings.items.map((listing) => (
            <li key={listing.uid}>
              <div>
                <strong>
                  <a href={`/operate/listings/${listing.uid}`} dir="auto">
                    {listing.name}
                  </a>
                </strong>{' '}
                <ListingBadges listing={listing} />
                <p class="quiet small">
                  {TYPE_LABELS[listing.asset_type]} by{' '}
                  <a href={`/operate/accounts?q=${listing.owner.uid}`}>
                    <PersonName {...listing.owner} />
                  </a>
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

function ListingBadges({ listing }: { listing: OperatorListing }) {
  const { taken_down, visibility, open_reports, owner } = listing
  return (
    <>
      {taken_down ? (
        <Badge tone="bad">taken down</Badge>
      ) : (
        <Badge tone={visibility === 'public' ? 'good' : 'none'}>{VISIBILITY_LABELS[visibility]}</Badge>
      )}{' '}
      {open_reports > 0 ? <Badge tone="warn">{countText(open_reports, 'report')}</Badge> : null}{' '}
      {owner.suspended ? <Badge tone="bad">owner suspended</Badge> : null}
    </>
  )
}

function TakeDownAct({ listing: { uid, name, taken_down } }: { listing: OperatorListing }) {
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

const NOTICES = {
  'taken-down': 'The page is taken down, and its owner is mailed the reason.',
  restored: 'The page is back as it was.',
  rescan: 'The file is being scanned again; until then it cannot be downloaded.',
}

export function ListingPage({ state, listing }: PageProps<{ listing: ListingWithFiles }>) {
  const { taken_down, owner, vanity_name } = listing
  const isShown = taken_down !== null || listing.visibility === 'public' || listing.visibility === 'invisible'
  return (
    <OperateFrame state={state} tab="/operate/listings" title={listing.name} notices={NOTICES}>
      <div class="operate-head">
        <div>
          <p class="quiet">
            {TYPE_LABELS[listing.asset_type]} by{' '}
            <a href={`/operate/accounts?q=${owner.uid}`}>
              <PersonName {...owner} />
            </a>
            , made <Moment at={listing.created_at} />
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
          Taken down <Moment at={taken_down.at} />. The owner reads: “<bdi>{taken_down.reason}</bdi>” The page
          was “{VISIBILITY_LABELS[taken_down.visibility]}” and will be so again once this is undone.
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
        <strong dir="auto">{filename}</strong> <ScanBadge scan={scan} engine={scan_engine} />
        <p class="quiet small">
          <bdi>{otherAppText(file)}</bdi> {version} for {SYSTEM_LABELS[os]} {arch}, {bytesText(size)},
          uploaded <Moment at={uploaded_at} />
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
