import type { Db, Transaction } from '../../../db/client.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { checkPage } from './check.ts'
import type { LintReport } from './model.ts'
import { listFacts } from './queries.ts'

export async function readReport(db: Db, gameUid: string): Promise<LintReport> {
  const report = (await readReportsOf(db, [gameUid])).get(gameUid)
  if (!report) throw new AppError('not_found')
  return report
}

/** For many listings at once, by uid. */
export async function readReportsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, LintReport>> {
  const facts = await listFacts(db, gameUids)
  return new Map(facts.map((found) => [found.game.uid, checkPage(found)]))
}

/** Throws 4225 with the whole report when the page has errors. */
export async function requirePassing(db: Db, gameUid: string): Promise<void> {
  refuseIf((report) => !report.ok, await readReport(db, gameUid))
}

/**
 * Changes a locked page. A change to a public page may fix errors, but not add any: then it throws and the
 * transaction is rolled back.
 */
export async function changePage<Result>(
  tx: Transaction,
  game: { uid: string; visibility: Visibility },
  change: () => Promise<Result>,
): Promise<Result> {
  if (game.visibility !== 'public') return await change()
  const before = new Set((await readReport(tx, game.uid)).errors.map(({ code }) => code))
  const result = await change()
  refuseIf((report) => report.errors.some(({ code }) => !before.has(code)), await readReport(tx, game.uid))
  return result
}

function refuseIf(fails: (report: LintReport) => boolean, lint: LintReport): void {
  if (!fails(lint)) return
  const codes = lint.errors.map(({ code }) => code).join(', ')
  throw new AppError('listing_check_failed', {
    message: `The listing check found errors: ${codes}. Fix them first.`,
    data: { lint },
  })
}
