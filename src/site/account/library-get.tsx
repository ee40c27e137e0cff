import { MAIN_APP, STABLE } from '../../domain/builds/channels.ts'
import type { OtherFile, SystemFile } from '../../features/builds/channels/stable-files.ts'
import type { InstallableItem } from '../../features/catalog/installs/model.ts'
import type { LibraryItem } from '../../features/community/library/model.ts'
import type { Visit } from '../../http/visit.ts'
import { InstallCommand } from '../components/copy-block.tsx'
import { DownloadIcon, PlayIcon } from '../components/icons.tsx'
import { bytesText, groupOtherApps, SYSTEM_LABELS } from '../kit/labels.tsx'

interface GetProps {
  visit: Visit
  item: LibraryItem
  file: SystemFile | undefined
  isPlayable: boolean
}

/** Plays a title in the browser, or downloads it for the visitor's system. */
export function Get({ visit, item, file, isPlayable }: GetProps) {
  if (item.unavailable !== null) return null
  return (
    <>
      {isPlayable ? (
        <a class="button" href={`/games/${refOf(item)}/play`}>
          <PlayIcon />
          Play<span class="visually-hidden"> {item.game.name}</span>
        </a>
      ) : null}
      <Download {...{ visit, item, file }} isSecond={isPlayable} />
    </>
  )
}

interface DownloadProps extends Omit<GetProps, 'isPlayable'> {
  isSecond: boolean
}

function Download({ visit, item, file, isSecond }: DownloadProps) {
  const { vanity_name, name } = item.game
  if (!file || visit.os === null) {
    return vanity_name === null ? null : (
      <a class="button second" href={`/games/${vanity_name}`}>
        All downloads<span class="visually-hidden"> of {name}</span>
      </a>
    )
  }
  return (
    <a class={isSecond ? 'button second' : 'button'} href={downloadPath(item, file.fileUid)} rel="nofollow">
      <DownloadIcon />
      Download<span class="visually-hidden"> {name}</span>
    </a>
  )
}

/** What the download is, and the line that installs it. */
export function DownloadFacts({ visit: { os }, item, file }: Omit<GetProps, 'isPlayable'>) {
  if (item.unavailable !== null || !file || os === null) return null
  const { vanity_name, name, url } = item.game
  return (
    <>
      <p class="quiet small">
        {file.version} for {SYSTEM_LABELS[os]}, {bytesText(file.size)}
      </p>
      {url === null ? null : <InstallCommand id={`install-${vanity_name}`} name={name ?? ''} url={url} />}
    </>
  )
}

/** All files of a title whose page is hidden; otherwise its page lists them. */
export function AllDownloads({ item, builds }: { item: LibraryItem; builds: InstallableItem['builds'] }) {
  if (item.game.vanity_name !== null || builds.length === 0) return null
  return (
    <ul class="other-apps small" aria-label={`Downloads of ${item.game.name}`}>
      {builds.map(({ file_uid, app, os, arch, channel, version, size }) => (
        <li key={file_uid + channel} class="row">
          <a href={downloadPath(item, file_uid)} rel="nofollow">
            <span class="visually-hidden">Download for </span>
            {SYSTEM_LABELS[os]} {arch}
          </a>
          <span class="quiet">
            {[version, app === MAIN_APP ? '' : app, channel === STABLE ? '' : channel, bytesText(size)]
              .filter((part) => part !== '')
              .join(', ')}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Hidden pages are addressed by their uid. */
function refOf({ game }: LibraryItem): string {
  return game.vanity_name ?? game.uid
}

function downloadPath(item: LibraryItem, fileUid: string): string {
  return `/games/${refOf(item)}/files/${fileUid}/download`
}

/** Other programs of the game for every system, because a server often runs on another machine. */
export function OtherApps({ item, files }: { item: LibraryItem; files: readonly OtherFile[] }) {
  const { name } = item.game
  if (item.unavailable !== null || files.length === 0) return null
  return (
    <ul class="other-apps small" aria-label={`Also for ${name}`}>
      {groupOtherApps(files).map((own) => (
        <li key={own[0]?.app} class="row">
          <strong dir="auto">{own[0]?.app_name}</strong>
          {own.map(({ fileUid, os, arch, version, size, app_name }) => (
            <a key={fileUid} href={downloadPath(item, fileUid)} rel="nofollow">
              <span class="visually-hidden">Download {app_name} for </span>
              {SYSTEM_LABELS[os]} {arch}
              <span class="quiet">
                {' '}
                {version}, {bytesText(size)}
              </span>
            </a>
          ))}
        </li>
      ))}
    </ul>
  )
}
