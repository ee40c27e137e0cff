export const TICKET_STATUSES = ['open', 'in_progress', 'fixed', 'closed'] as const
export type TicketStatus = (typeof TICKET_STATUSES)[number]

/** How a report arrived: from the running game, from the store page, or through a program acting for a player. */
export const TICKET_SOURCES = ['game', 'store', 'agent'] as const
export type TicketSource = (typeof TICKET_SOURCES)[number]

/** cancelled: the URL was removed from the settings before it was reached. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const

export const DAILY_CAP_MAX = 10_000
export const DAILY_CAP_DEFAULT = 10
