import type { Listing, PublicFile } from '../../../features/catalog/pages/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { DownloadIcon, SYSTEM_ICONS } from '../../components/icons.tsx'
import { bytesText, groupOtherApps, otherAppText, ScanBadge, SYSTEM_LABELS } from '../../kit/labels.tsx'

interface DownloadListProps {
  visit: Visit
  listing: Listing
  files: readonly PublicFile[]
  mayDownload: boolean
  /** Whether the visitor may see the provenance of the files. */
  linksDetails: boolean
  /** Whether another list comes before this one. */
  isSecond?: boolean
}

/** The files of a channel, those for the visitor's system first. */
export function DownloadList({ visit, listing, files, isSecond = false, ...rights }: DownloadListProps) {
  const sorted = files.toSorted((a, b) => Number(b.os === visit.os) - Number(a.os === visit.os))
  return (
    <ul class="downloads">
      {sorted.map((file, index) => (
        <li key={file.file_uid}>
          <Download {...{ listing, file, ...rights }} isFirst={index === 0 && !isSecond} />
        </li>
      ))}
    </ul>
  )
}

/** The other programs of the listing, such as a dedicated server, each under its name. */
export function OtherApps({ files, level, ...list }: DownloadListProps & { level: 2 | 3 }) {
  const Heading = `h${level}` as const
  return groupOtherApps(files).map((own) => {
    const [first] = own
    return (
      <div key={first?.app} class="stack other-app">
        <Heading class="list-title" dir="auto">
          {first?.app_name}
        </Heading>
        <DownloadList {...list} files={own} isSecond />
      </div>
    )
  })
}

interface DownloadProps extends Omit<DownloadListProps, 'visit' | 'files' | 'isSecond'> {
  file: PublicFile
  isFirst: boolean
}

function Download({ listing, file, isFirst, mayDownload, linksDetails }: DownloadProps) {
  const SystemIcon = SYSTEM_ICONS[file.os]
  return (
    <div class="download">
      {mayDownload ? (
        <DownloadButton {...{ listing, file, isFirst }} />
      ) : (
        <p class="row">
          <SystemIcon /> <strong>{SYSTEM_LABELS[file.os]}</strong>
        </p>
      )}
      <p class="quiet small row">
        <span>{file.version}</span>
        <span>{bytesText(file.size)}</span>
        {file.os === 'web' ? null : <span>{file.arch}</span>}
      </p>
      <DownloadDetails {...{ listing, file, mayDownload, linksDetails }} />
    </div>
  )
}

type FileProps = Pick<DownloadProps, 'listing' | 'file'>

export function DownloadButton({ listing, file, isFirst }: FileProps & { isFirst: boolean }) {
  return (
    <a
      class={isFirst ? 'button wide' : 'button second wide'}
      href={`${pageOf(listing, file)}/download${file.apk ? '?as=apk' : ''}`}
      rel="nofollow"
    >
      <DownloadIcon />
      <span>
        Download{' '}
        <span class="visually-hidden">
          {otherAppText(file) || listing.name} {file.version}{' '}
        </span>
        <span class="box-only">
          for {SYSTEM_LABELS[file.os]}
          {file.apk ? ' (.apk)' : null}
        </span>
        {file.os === 'web' ? null : <span class="visually-hidden"> {file.arch}</span>}
      </span>
    </a>
  )
}

/** The checksum, the scan and where the file comes from. */
export function DownloadDetails({
  listing,
  file,
  mayDownload,
  linksDetails,
}: Omit<DownloadProps, 'isFirst'>) {
  const page = pageOf(listing, file)
  return (
    <details class="small">
      <summary>
        Details
        <span class="visually-hidden">
          {' '}
          of {file.filename} for {SYSTEM_LABELS[file.os]} {file.os === 'web' ? '' : file.arch}
        </span>
      </summary>
      <dl class="pairs">
        <dt>File</dt>
        <dd>
          <bdi>{file.filename}</bdi>
        </dd>
        {file.os === 'web' ? null : (
          <>
            <dt>Processor</dt>
            <dd>{file.arch}</dd>
          </>
        )}
        <dt>Scan</dt>
        <dd>
          <ScanBadge scan="clean" engine={file.scan_engine} />
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <code>{file.checksum}</code>
        </dd>
      </dl>
      {mayDownload && file.apk ? (
        <p>
          <a href={`${page}/download`} rel="nofollow">
            Download the whole zip
          </a>
        </p>
      ) : null}
      {linksDetails ? <a href={page}>Where this file comes from, and what is inside</a> : null}
    </details>
  )
}

function pageOf({ vanity_name }: Listing, { file_uid }: PublicFile): string {
  return `/games/${vanity_name}/files/${file_uid}`
}
