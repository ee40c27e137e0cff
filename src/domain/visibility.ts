export const VISIBILITIES = ['draft', 'owner', 'invisible', 'public'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** Visibilities of pages that anyone with the link can open. */
export const OPEN_VISIBILITIES = ['invisible', 'public'] as const satisfies readonly Visibility[]
