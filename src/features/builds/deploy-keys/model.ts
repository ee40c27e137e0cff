import { t } from 'elysia'

import { Moment, Uid } from '../../../http/input/schema.ts'

export const NewDeployKey = t.Object({ access_token: t.String(), secret_key: t.String() })
export type NewDeployKey = typeof NewDeployKey.static

export const DeployKey = t.Object({
  uid: Uid,
  last4: t.String({ description: 'The last four characters of the access token.' }),
  created_at: Moment,
  revoked_at: t.Nullable(Moment),
  issued_by: t.Nullable(
    t.Object({
      username: t.String(),
      has_access: t.Boolean({ description: 'Does this person still own the listing or help run it?' }),
    }),
  ),
})
export type DeployKey = typeof DeployKey.static
