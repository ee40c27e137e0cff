import type { Deps } from '../../deps.ts'
import type { RecentRequests } from '../../http/recent-requests.ts'
import type { Credentials } from '../accounts/credentials.ts'

/** What the acts of operators need beside the services. */
export interface Operate {
  deps: Deps
  credentials: Pick<Credentials, 'forgetPlayerKey'>
  recent: RecentRequests
}
