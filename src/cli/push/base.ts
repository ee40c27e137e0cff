import type { Channel } from '../../features/builds/channels/model.ts'
import type { Build, BuildFile } from '../../features/builds/registry/model.ts'
import { MalformedBytes } from '../../lib/bytes/varints.ts'
import type { Paged } from '../../lib/paging.ts'
import { CONTENTS_BYTES_MAX, type ContentsEntry, decodeContents } from '../../lib/zip/contents.ts'
import { type ApiClient, OversizedAnswer } from '../api/client.ts'
import { TOOL } from '../api/project.ts'
import { ApiFailure, isApiCode } from '../api/retry.ts'
import type { PlannedBuild } from './plan.ts'

const PAGE_SIZE = 50
const READ_MS = 60_000
const NOT_RECORDED = 5031
const ATTEMPTS_MAX = 4
const PAGES_MAX = 1000

/** The build that the channel points at on this platform. */
export async function fetchChannelBuild(
  api: ApiClient,
  { registration }: PlannedBuild,
): Promise<Build | null> {
  const { channel, app, os, arch } = registration
  const slot = await findInPages<Channel>(
    api,
    `${TOOL}/channels`,
    (found) => found.channel === channel && found.app === app && found.os === os && found.arch === arch,
  )
  return slot && (await api.call<Build>(`${TOOL}/builds/${slot.build_id}`))
}

/** An earlier file that is likely to have most of the bytes: of the channel, or else of the newest build. */
export async function findBase(api: ApiClient, build: PlannedBuild): Promise<BuildFile | null> {
  try {
    const current = await fetchChannelBuild(api, build)
    const { app, os, arch } = build.registration
    const newest = await api.call<Paged<Build>>(`${TOOL}/builds`, { query: { page_size: PAGE_SIZE } })
    const likely = newest.items.filter((other) => other.app === app && other.os === os && other.arch === arch)
    const files = [current, ...likely]
      .flatMap((found) => found?.files ?? [])
      .filter(({ scan }) => scan === 'clean')
    return files.find(({ filename }) => filename === build.filename) ?? files[0] ?? null
  } catch (error) {
    return noneIfUnknown(error)
  }
}

/** The files in an earlier zip; none where the store cannot tell, so that everything is sent. */
export async function fetchBaseEntries(
  api: ApiClient,
  uploadUrl: string,
  fileUid: string,
): Promise<ContentsEntry[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const request = { base: uploadUrl, signal: AbortSignal.timeout(READ_MS) }
      const path = `${TOOL}/files/${fileUid}/contents`
      return await decodeContents(await api.bytes(path, request, CONTENTS_BYTES_MAX))
    } catch (error) {
      if (error instanceof MalformedBytes || error instanceof OversizedAnswer) return []
      if (error instanceof ApiFailure && error.status === 404) return []
      // The contents of older files are recorded when they are asked for first.
      if (isApiCode(error, NOT_RECORDED) && attempt === ATTEMPTS_MAX) return []
      await api.retry.pause(error)
    }
  }
}

async function findInPages<Item>(
  api: ApiClient,
  path: string,
  isWanted: (item: Item) => boolean,
): Promise<Item | null> {
  let seen = 0
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { items, total } = await api.call<Paged<Item>>(path, { query: { page, page_size: PAGE_SIZE } })
    const found = items.find(isWanted)
    seen += items.length
    if (found || items.length === 0 || seen >= total) return found ?? null
  }
  return null
}

/** A store without these routes cannot copy. */
export function noneIfUnknown(error: unknown): null {
  if (error instanceof ApiFailure && error.status === 404) return null
  throw error
}
