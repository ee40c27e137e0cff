import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { CHUNK_BYTES, SINGLE_BYTES_MAX, type UploadProject } from './model.ts'
import * as queries from './queries.ts'

export async function readProject({ db, config }: Deps, { gameUid }: DeployKey): Promise<UploadProject> {
  const game = await queries.findGameName(db, gameUid)
  if (!game) throw new AppError('not_found')
  return {
    game_uid: gameUid,
    vanity_name: game.vanityName,
    name: game.name,
    upload_url: config.uploadUrl,
    chunk_size: CHUNK_BYTES,
    single_limit: SINGLE_BYTES_MAX,
  }
}
