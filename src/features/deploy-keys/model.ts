import { t } from 'elysia'

import { Moment, Uid } from '../../http/schema.ts'

export const NewDeployKey = t.Object({ access_token: t.String(), secret_key: t.String() })
export type NewDeployKey = typeof NewDeployKey.static

export const DeployKey = t.Object({
  uid: Uid,
  last4: t.String({ description: 'The end of the access token.' }),
  created_at: Moment,
  revoked_at: t.Nullable(Moment),
})
export type DeployKey = typeof DeployKey.static
