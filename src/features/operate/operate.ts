import type { Deps } from '../../deps.ts'
import type { RecentRequests } from './recent-requests.ts'

/** What the acts of operators need beside the services. */
export interface Operate {
  deps: Deps
  recent: RecentRequests
}
