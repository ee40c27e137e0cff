export const VISIBILITIES = ['draft', 'owner', 'invisible', 'public'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** Visibilities of pages that anyone with the link can open. */
export const OPEN_VISIBILITIES = ['invisible', 'public'] as const satisfies readonly Visibility[]

/** Why the operators took a page down, and the visibility that undoing it restores. */
export interface TakeDown {
  at: string
  reason: string
  visibility: Visibility
  /** Set if a policy of the store hid it, which a change of that policy undoes. */
  policy?: 'adult_content'
}

/** A publication that waits for the approval of an operator. */
export interface PendingPublication {
  at: string
  visibility: Visibility
}
