import type { Deps } from '../../../deps.ts'
import { forgetAccount } from '../../accounts/account-cache.ts'
import {
  listNamedOperators,
  type NamedOperator,
  setOperator as storeOperator,
} from '../../accounts/operators.ts'
import { recordAct } from '../audit/service.ts'

/** For the command line. */
export async function setOperator(deps: Deps, email: string, operator: boolean): Promise<NamedOperator> {
  return await deps.db.transaction(async (tx) => {
    const account = await storeOperator(tx, email, operator)
    await forgetAccount(deps, tx, account.uid)
    const act = operator ? 'add_operator' : 'remove_operator'
    await recordAct(tx, null, { act, subject: 'account', id: account.uid, name: account.username })
    return account
  })
}

/** The addresses of all operators, and where each is named. */
export async function listOperators({ db, config }: Deps): Promise<{ email: string; by: string }[]> {
  const named = await listNamedOperators(db)
  return [
    ...config.operators.map((email) => ({ email, by: 'OPERATORS' })),
    ...named.map(({ email }) => ({ email, by: 'playshelf operator' })),
  ]
}
