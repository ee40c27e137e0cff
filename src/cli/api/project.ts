import type { UploadProject } from '../../features/builds/uploads/model.ts'
import { toPrintableLine } from '../../lib/text/characters.ts'
import { type ApiClient } from './client.ts'
import { ApiFailure } from './retry.ts'

export const TOOL = '/api/v1/tool/upload'

const CHUNK_SIZE = 16 * 1024 ** 2
const SINGLE_LIMIT = 64 * 1024 ** 2

/** The game of the deploy key, and how its files are sent. */
export async function fetchProject(api: ApiClient, game: string | null): Promise<UploadProject> {
  try {
    return await api.call<UploadProject>(`${TOOL}/project`)
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 404)) throw error
    return await assumeProject(api, game ?? '')
  }
}

/** For a store without that route. Reading the builds checks the key. */
async function assumeProject(api: ApiClient, game: string): Promise<UploadProject> {
  await api.call(`${TOOL}/builds`, { query: { page_size: 1 } })
  const limits = { chunk_size: CHUNK_SIZE, single_limit: SINGLE_LIMIT }
  return { game_uid: game, vanity_name: game, name: game, upload_url: api.server, ...limits }
}

/** The name is only displayed, so commands wait for it only briefly. */
export const NAME_WAIT = { giveUpAfterMs: 5000 }

/** The name of the store before its address; the address alone where the server does not tell. */
export async function nameServer(api: ApiClient, server: string): Promise<string> {
  try {
    const { name } = await api.call<{ name: unknown }>('/api/v1/public/store')
    return typeof name === 'string' ? `${toPrintableLine(name)} (${server})` : server
  } catch {
    return server
  }
}
