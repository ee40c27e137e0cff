import type { StoreApp } from '../../../clients/ext-store/ext-store.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
import { askStore, requireCoveringKey } from '../link/service.ts'
import type { ImportCounts } from './count-import.ts'

/** Checks that the key covers the app before anything else is read. Counts the import once the store responded. */
export async function requireKey(
  deps: Deps,
  webApiKey: string,
  appId: number,
  counts: ImportCounts,
): Promise<void> {
  await counts.asks()
  try {
    await requireCoveringKey(deps, webApiKey, appId)
  } catch (error) {
    const hasResponded = error instanceof AppError && error.kind === 'store_key_not_covering'
    if (hasResponded) await counts.reached()
    throw error
  }
  await counts.reached()
}

/** The store page of a game; throws for any other kind of app. */
export async function readStorePage(deps: Deps, appId: number): Promise<StoreApp> {
  const app = await askStore(() => deps.extStore.readApp(appId))
  if (!app) throw unusable(`The external store has no page for app ${appId}.`)
  if (app.appId !== appId) throw unusable(`App ${appId} is now app ${app.appId}. Import that one.`)
  if (app.type !== 'game') {
    throw unusable(`The external store lists app ${appId} as ${show(app.type)}, not as a game.`)
  }
  if (showName(app.name, NAME_MAX) === '') throw unusable(`The page of app ${appId} has no name.`)
  return app
}

function unusable(message: string): AppError {
  return new AppError('store_app_unusable', { message })
}
