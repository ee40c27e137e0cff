import { randomBytes } from 'node:crypto'

import type { StoreFixture } from './fixture.ts'

export type FaultPoint =
  'authenticate' | 'ownership' | 'appList' | 'appDetails' | 'items' | 'tags' | 'openid' | 'image'
export type Fault =
  'slow' | 'hang' | 'reset' | 'half' | 'null' | 'not_json' | 'html401' | 'html403' | '429' | '500'

export interface ReceivedRequest {
  point: FaultPoint | null
  method: string
  path: string
  params: Record<string, string>
}

export interface IssuedTicket {
  appId: number
  extstoreId: string
  /** The identity the game passed when it requested the ticket. */
  identity: string
  ownerExtstoreId?: string | undefined
  vacBanned?: boolean | undefined
  publisherBanned?: boolean | undefined
}

export interface KnownOwnership {
  appId: number
  extstoreId: string
  owns: boolean
  permanent?: boolean
  ownerExtstoreId?: string
}

/** The state of the double, read on every request. */
export interface DoubleState {
  /** Publisher keys and the apps each covers. */
  keys: Map<string, Set<number>>
  apps: Map<number, StoreFixture>
  tickets: Map<string, IssuedTicket>
  /** By `<app>/<account>`. */
  ownerships: Map<string, KnownOwnership>
  faults: Map<FaultPoint, { fault: Fault; left: number }>
  requests: ReceivedRequest[]
}

export function createState(): DoubleState {
  return {
    keys: new Map(),
    apps: new Map(),
    tickets: new Map(),
    ownerships: new Map(),
    faults: new Map(),
    requests: [],
  }
}

export function ownershipKey(appId: number, extstoreId: string): string {
  return `${appId}/${extstoreId}`
}

/** Without an ownership record, the holder of a ticket owns the game. */
export function issueTicket(state: DoubleState, ticket: IssuedTicket): string {
  const hex = randomBytes(120).toString('hex')
  const { appId, extstoreId, ownerExtstoreId } = ticket
  const key = ownershipKey(appId, extstoreId)
  state.tickets.set(hex, ticket)
  if (!state.ownerships.has(key)) {
    const owner = ownerExtstoreId === undefined ? {} : { ownerExtstoreId }
    state.ownerships.set(key, { appId, extstoreId, owns: true, ...owner })
  }
  return hex
}
