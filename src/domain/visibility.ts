export const VISIBILITIES = ['draft', 'owner', 'invisible', 'public'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** Pages that anyone with the link may open. */
export const OPEN_VISIBILITIES = ['invisible', 'public'] as const satisfies readonly Visibility[]
